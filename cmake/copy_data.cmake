# Copies a data folder into the build's share folder: what an installation would hold, and nothing
# that is no longer in the source.
file(REMOVE_RECURSE ${TO}.new)
file(COPY ${FROM}/ DESTINATION ${TO}.new
     FILES_MATCHING PATTERN "*.py" PATTERN "*.toml" PATTERN "*.json" PATTERN "*.c" PATTERN "*.h"
     PATTERN "*.j2" PATTERN "*.cpp" PATTERN "*.cu" PATTERN "*.hip" PATTERN "*.html" PATTERN "*.jsonl"
     PATTERN "*.txt"
     PATTERN tests EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN ".*" EXCLUDE
     REGEX "/python/assay$" EXCLUDE)  # what users import, and no worker does
if(MODULE)
  file(COPY ${MODULE} DESTINATION ${TO}.new/assay_worker)
endif()
file(REMOVE_RECURSE ${TO})
file(RENAME ${TO}.new ${TO})
