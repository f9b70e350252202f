"""The floor of the house: pure declarations and rules, no disk, no network, no protocol library."""
