"""
A timetable of exams
====================

A student cannot sit two exams at once. Exams with a common student are adjacent in a graph. A coloring gives each exam
a slot, and ``balance=True`` makes the slots similar in size, so that the rooms are sufficient.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import csr_array

import stablegraph as sg

# 900 students take four of 70 exams each, mostly with similar numbers, as in a degree program.
random = np.random.default_rng(3)
taken = (random.integers(70, size=(900, 1)) + np.abs(random.normal(0, 4, (900, 4))).astype(int)) % 70
students = np.repeat(np.arange(900), 4)
sits = csr_array((np.ones(taken.size), (students, taken.ravel())), shape=(900, 70))
conflicts = sits.T @ sits  # an entry for each pair of exams with a common student

slots = sg.vertex_coloring(conflicts, balance=True)
assert sg.is_proper_coloring(conflicts, slots)
at_once = max(np.unique(exams).size - np.unique(slots[np.unique(exams)]).size for exams in taken)
print(
    f"{slots.max() + 1} slots of {np.bincount(slots).min()} to {np.bincount(slots).max()} exams, at least "
    f"{sg.color_bounds(conflicts)[0]} slots are needed; exams that a student misses: {at_once}"
)

# %%
# Each row is a slot, and each box an exam. Darker boxes have more students.

size = np.asarray(sits.sum(axis=0)).ravel()
figure, ax = plt.subplots(figsize=(9, 5), layout="constrained")
place = np.array([np.count_nonzero(slots[:exam] == slots[exam]) for exam in range(70)])
ax.barh(slots, 0.92, left=place, height=0.86, color=plt.cm.Blues(0.15 + 0.6 * size / size.max()))
for exam in range(70):
    ink = "white" if size[exam] > 0.65 * size.max() else "black"
    ax.text(place[exam] + 0.46, slots[exam], exam, ha="center", va="center", fontsize=7, color=ink)
ax.set_yticks(range(slots.max() + 1), [f"slot {slot + 1}" for slot in range(slots.max() + 1)], fontsize=8)
ax.invert_yaxis()
ax.set_xticks([])
ax.spines[:].set_visible(False)
ax.set_title(f"70 exams in {slots.max() + 1} slots: no student has two at once")
plt.show()
