"""Renders reports: text tables, SARIF, JUnit, CSV and Markdown, one module for each."""
