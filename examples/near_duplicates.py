"""
Near-duplicate texts: MinHash, bands, clusters
==============================================

Copies of a text differ in a few words. Two texts are compared by the sets of their windows of eight characters: their
similarity is the number of common windows divided by the number of all windows. A MinHash is the minimum hash of all
windows of a text; it is equal for two texts with a probability that is their similarity. Bands of several MinHashes
find the pairs that are worth a comparison, and `cluster_pairs` makes clusters of the pairs.
"""

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa

import stablegraph as sg

BANDS, ROWS, WINDOW, THRESHOLD = 12, 4, 8, 0.6
BLOCK = 1000  # texts whose windows fit into the cache


def minhashes(texts, count):
    """Return the minimum of each of `count` hash functions over the windows of each text, (texts, count)."""
    texts = [text.ljust(WINDOW) for text in texts]
    data = np.frombuffer("\0".join(texts).encode() + bytes(WINDOW), np.uint8).astype(np.uint64)
    windows = np.zeros(data.size - WINDOW + 1, np.uint64)
    for k in range(WINDOW):
        windows = windows << np.uint64(8) | data[k : data.size - WINDOW + 1 + k]
    sizes = np.array([len(text.encode()) + 1 for text in texts])
    starts = np.cumsum(sizes) - sizes
    place = np.arange(sizes.sum()) - np.repeat(starts, sizes)
    inside = place + WINDOW < np.repeat(sizes, sizes)  # of one text
    windows, ends = windows[: inside.size][inside], np.add.reduceat(inside, starts)
    factors = np.random.default_rng(0).integers(0, 2**63, (count, 2)).astype(np.uint64) | np.uint64(1)
    mixed = (windows ^ windows >> np.uint64(29)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(32)
    hashes = ((mixed * factor + other) >> np.uint64(32) for factor, other in factors)
    return np.stack([np.minimum.reduceat(one, np.cumsum(ends) - ends) for one in hashes], axis=1)


def scored_pairs(hashes):
    """Return a table of the pairs that have equal MinHashes in a band, with the fraction of all equal MinHashes."""
    pairs = []
    for band in np.split(hashes, BANDS, axis=1):
        key = band[:, 0].copy()
        for column in band.T[1:]:
            key = (key * np.uint64(0x9E3779B97F4A7C15)) ^ (column + (key >> np.uint64(31)))
        order = np.argsort(key, kind="stable")
        equal = np.flatnonzero(key[order][1:] == key[order][:-1])
        pairs.append(np.stack([order[equal], order[equal + 1]]))  # one pair per text, not all pairs of equal texts
    u, v = np.unique(np.concatenate(pairs, axis=1), axis=1)
    return pa.table({"u": u, "v": v, "score": (hashes[u] == hashes[v]).mean(axis=1)})


# %%
# 20,000 texts of 20 words; every fifth one is a copy of an earlier one in which two words were replaced.

draw = np.random.default_rng(1)
words = np.array(["".join(draw.choice(list("abcdefghijklmnoprstuvw"), draw.integers(3, 9))) for _ in range(5000)])
chosen = draw.integers(0, words.size, (20_000, 20))
copies = np.arange(4, len(chosen), 5)
originals = (draw.random(copies.size) * (copies - 1)).astype(int)
originals -= originals % 5 == 4  # an original is no copy
chosen[copies] = chosen[originals]
changed = draw.integers(0, 19, copies.size)
for place in (changed, changed + 1):
    chosen[copies, place] = draw.integers(0, words.size, copies.size)
texts = [" ".join(row) for row in words[chosen]]

blocks = [texts[k : k + BLOCK] for k in range(0, len(texts), BLOCK)]
hashes = np.concatenate([minhashes(block, BANDS * ROWS) for block in blocks])
pairs = scored_pairs(hashes)
clusters = sg.cluster_pairs(pairs, np.arange(len(texts)), threshold=THRESHOLD)

cluster = clusters["cluster"].to_numpy()
found = np.count_nonzero(cluster[copies] == cluster[originals])
kept = np.flatnonzero(cluster == np.arange(len(texts)))  # one text of each cluster
print(f"{len(pairs):,} pairs, {kept.size:,} clusters; {found:,} of {copies.size:,} copies are with their originals")
strangers = np.setdiff1d(np.arange(len(texts)), np.concatenate([copies, originals]))
print(f"{np.count_nonzero(clusters['size'].to_numpy()[strangers] > 1)} texts without copies are in a cluster")
assert found > 0.9 * copies.size

# %%
# More rows in a band make it stricter, and more bands find more pairs. The curve is the probability that a pair of a
# similarity becomes a candidate.

similarity = np.linspace(0, 1, 200)
figure, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
scores = pairs["score"].to_numpy()
ax.hist(scores, 40, range=(0, 1), color="#9dc3e0", label="candidates by the fraction of equal MinHashes")
ax.set(xlabel="similarity", ylabel="pairs", title="Pairs of texts that are compared, and the threshold")
ax.axvline(THRESHOLD, color="#c0392b", label="threshold")
right = ax.twinx()
right.plot(similarity, 1 - (1 - similarity**ROWS) ** BANDS, color="#1f5f8b")
right.set(ylabel="probability of a comparison", ylim=(0, 1.02))
ax.legend(loc="upper left")
plt.show()
