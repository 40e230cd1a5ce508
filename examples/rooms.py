"""
A timetable with rooms
======================

Exams with a common student are adjacent in a graph, and a coloring gives each exam a slot. The hall has a limited
number of seats in each slot, some exams already have a slot, and some lecturers are absent on the first day.
``vertex_coloring`` takes all of this, and `is_proper_coloring` checks it. Finally each exam gets a room of its own.
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
sits.sum_duplicates()
sits.data[:] = 1  # a student takes an exam once
conflicts = sits.T @ sits  # an entry for each pair of exams with a common student
size = np.asarray(sits.sum(axis=0)).ravel().astype(int)

# %%
# The fewest slots for 220 seats. The reason is a set of conflicts, or the number of seats.

_, info = sg.vertex_coloring(conflicts, capacity=220, sizes=size, return_info=True)
print(f"{info['colors']} slots; {info['reason']}")

# %%
# With 20 slots, and with the wishes of the lecturers, the slots are used as evenly as possible.

wishes = {
    "fixed": {0: 0, 7: 19, 30: 3},  # exams with a slot
    "forbidden": {exam: range(4) for exam in (11, 12, 45)},  # not on the first day
    "allowed": {50: [18, 19], 51: [18, 19]},  # only at the end
}
slots = sg.vertex_coloring(conflicts, colors=20, capacity=220, sizes=size, **wishes)
problem = sg.explain(sg.is_proper_coloring, conflicts, slots, capacity=220, sizes=size, **wishes)
seats = np.bincount(slots, size, minlength=20).astype(int)
print(f"20 slots with {seats.min()} to {seats.max()} students; violated constraints: {problem}")

# %%
# Impossible constraints are refused with the reason.

try:
    sg.vertex_coloring(conflicts, colors=10, capacity=220, sizes=size)
except ValueError as reason:
    print(reason)

# %%
# Each row is a slot, and the width of a box is the number of students of an exam.

figure, ax = plt.subplots(figsize=(9, 5), layout="constrained")
left = np.zeros(20)
for exam in np.argsort(-size, kind="stable").tolist():
    slot = slots[exam]
    wished = any(exam in wish for wish in wishes.values())
    ax.barh(slot, size[exam], left=left[slot], height=0.86, color="#f2b76b" if wished else "#9ecae1", edgecolor="white")
    ax.text(left[slot] + size[exam] / 2, slot, exam, ha="center", va="center", fontsize=7)
    left[slot] += size[exam]
ax.axvline(220, color="black", linewidth=0.8)
ax.set_yticks(range(20), [f"slot {slot + 1}" for slot in range(20)], fontsize=8)
ax.invert_yaxis()
ax.set_xlabel("students (the line is the number of seats)")
ax.spines[["top", "right"]].set_visible(False)
ax.set_title("70 exams in 20 slots; orange: exams with a wish")
plt.show()

# %%
# Instead of one hall, six rooms of different sizes, one exam in each. `~stablegraph.schedule_table` assigns them.

rooms = {"Hall": 60, "Aula": 50, "B 1": 50, "B 2": 45, "B 3": 45, "C 1": 40}
limits = {"rooms": rooms, "sizes": size}
slots, info = sg.vertex_coloring(conflicts, **limits, reduce="thorough", return_info=True)
problem = sg.explain(sg.is_proper_coloring, conflicts, slots, **limits)
print(f"with rooms {info['colors']} slots; {info['reason']}; violated constraints: {problem}")

# %%
# The dark part of a box is the part of the seats in use.

figure, ax = plt.subplots(figsize=(9, 5), layout="constrained")
sg.plot.schedule_figure(conflicts, slots, **limits, title="Exams in rooms", ax=ax)
plt.show()
