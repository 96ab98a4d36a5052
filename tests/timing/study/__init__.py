"""How often does the judge of speed err? scripts/prove-timing asks; ../README.md says how."""
