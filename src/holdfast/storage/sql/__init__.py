"""Relational stores: SQLite and PostgreSQL behind one interface, migrations, and what can be rebuilt."""
