"""Renders results, one module for each format: text layout, SARIF, JUnit, CSV and Markdown."""
