"""How many decisions a second this machine makes: what ``sixth-env benchmark`` shows.

The unit is the agent-step: one seat's decision applied. Seats that only wait do not count; deals,
the check of actions and new matches are included. One thread, processor time, uniformly random
legal actions. The repeats go round all cases, so that a slow spell of the machine hits them alike.

``measure.py`` timing;  ``cases.py`` what is measured;  ``libraries.py`` what others make;
``training.py`` the checkout's training;  ``report.py`` tables and JSON;  ``command.py`` the whole.
"""

from __future__ import annotations

from sixth_env.benchmark.command import compare, measure, run
from sixth_env.benchmark.measure import FULL, QUICK, Plan, Rate
from sixth_env.benchmark.report import Report, Row, Versus

__all__ = ["FULL", "QUICK", "Plan", "Rate", "Report", "Row", "Versus", "compare", "measure", "run"]
