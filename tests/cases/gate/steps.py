"""The commands of a workflow's steps, but for what only GitHub has, and the installation."""

import sys

import yaml

workflow = yaml.safe_load(open(sys.argv[1]))
job = workflow["jobs"]["gate"]
for name, value in job["env"].items():
    print(f"export {name}='{value}'")
for step in job["steps"]:
    if "run" in step and step["name"] != "Install assay":
        # A runner gives each step a shell of its own.
        print(f"bash -e -o pipefail <<'end of step'\n{step['run']}end of step")
