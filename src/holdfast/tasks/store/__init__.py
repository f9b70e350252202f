"""What is kept of tasks: tables, transactions, leases, events, and the readable files in `.task/`."""
