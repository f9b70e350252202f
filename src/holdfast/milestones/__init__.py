"""Milestones and issues, kept as operations in git refs and merged by union."""
