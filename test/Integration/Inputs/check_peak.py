#!/usr/bin/env python3
"""Whether the peak of device memory that a plan predicts is the measured one.

  check_peak.py PLAN.json RUNTIME.json
"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    predicted = json.load(file)["peak_bytes"]
with open(sys.argv[2], encoding="utf-8") as file:
    measured = json.load(file)["peak_device_bytes"]
print("predicted %s, measured %s" % (predicted, measured))
sys.exit(0 if predicted == measured and measured > 0 else 1)
