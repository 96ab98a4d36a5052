# Copies a data folder into the build's share folder. Only what an installation would hold.
file(COPY ${FROM}/ DESTINATION ${TO}
     FILES_MATCHING PATTERN "*.py" PATTERN "*.toml" PATTERN "*.json"
     PATTERN tests EXCLUDE PATTERN __pycache__ EXCLUDE)
