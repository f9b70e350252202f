UPDATE template SET version = 3, active = 0, updated_by = 'ada' WHERE name = 'plan';
