"""The sample project of `holdfast demo`: `tidepool.yaml` describes it, `project.py` creates it."""
