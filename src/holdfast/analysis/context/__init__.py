"""Everything about a project in one document: what analyses say, where they meet, what to do first."""
