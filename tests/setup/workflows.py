# SPDX-License-Identifier: MIT
"""Runs the steps of a workflow of .github/workflows, or of action.yml, as a hosted runner would, in a checkout and with stand-ins for
what a runner has and this machine has not. Prints "ok" or "not ok" for each step that has a command.

    python3 workflows.py WORKFLOW CHECKOUT FOLDER

CHECKOUT is copied for each job. What the jobs keep as artifacts goes to FOLDER/artifacts. A step ends its job where it fails, as there."""
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml


def expand(text, values):
    """Replaces ${{ name }} by its value. An expression that is not known here is a mistake of the workflow, or of this list."""
    def value(match):
        name = match.group(1).strip()
        if name.startswith("hashFiles("):
            return "hash"
        return str(values[name])
    return re.sub(r"\$\{\{(.*?)\}\}", value, str(text))


def combinations(matrix):
    axes = {name: values for name, values in matrix.items() if isinstance(values, list)}
    for chosen in itertools.product(*axes.values()):
        yield dict(zip(axes, chosen))


def upload(paths, name, checkout, artifacts):
    """As actions/upload-artifact does: below the nearest folder that holds all of several paths, or below the one path that is a folder."""
    patterns = [line.strip() for line in paths.strip().splitlines()]
    found = []
    for pattern in patterns:
        for path in sorted(checkout.glob(pattern)):
            found += [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    roots = [str((checkout / re.split(r"[*?\[]", pattern)[0]).resolve()) for pattern in patterns]
    base = pathlib.Path(os.path.commonpath(roots))
    base = base if base.is_dir() else base.parent
    for file in found:
        target = artifacts / name / file.relative_to(base)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    return bool(found)


def download(path, artifacts, checkout):
    for artifact in sorted(artifacts.iterdir()):
        shutil.copytree(artifact, checkout / path, dirs_exist_ok=True)


class Job:
    def __init__(self, name, job, values, source, folder):
        self.name, self.job, self.values = name, job, values
        self.folder = folder
        self.checkout = folder / "jobs" / re.sub(r"\W", "-", name)
        shutil.copytree(source, self.checkout, symlinks=True)
        self.environment = dict(os.environ, CI="true", GITHUB_WORKSPACE=str(self.checkout))
        for variable in ("summary", "outputs"):
            (self.checkout / f".{variable}").touch()
        self.environment["GITHUB_STEP_SUMMARY"] = str(self.checkout / ".summary")
        self.environment["GITHUB_OUTPUT"] = str(self.checkout / ".outputs")
        self.environment["RUNNER"] = str(values.get("matrix.runner", ""))
        self.environment["GITHUB_REF_NAME"] = values["github.ref_name"]
        self.environment["GITHUB_ACTION_PATH"] = str(self.checkout)
        self.environment.update({key: expand(value, values) for key, value in job.get("env", {}).items()})

    def run(self):
        has_failed = False
        for number, step in enumerate(self.job["steps"], 1):
            title = f"{self.name}, step {number}: {step.get('name', str(step.get('run', step.get('uses'))).splitlines()[0])}"
            condition = str(step.get("if", "success()"))
            if "always()" not in condition and has_failed != ("failure()" in condition):
                continue
            if not self.take(step, title):
                has_failed = True
        return not has_failed

    def take(self, step, title):
        uses = step.get("uses", "").split("@")[0]
        options = {key: expand(value, self.values) for key, value in step.get("with", {}).items()}
        if uses == "actions/upload-artifact":
            kept = upload(options["path"], options["name"], self.checkout, self.folder / "artifacts")
            return self.say(kept, title + " finds files")
        if uses == "actions/download-artifact":
            download(options["path"], self.folder / "artifacts", self.checkout)
        if "run" not in step:
            return True
        if "${{" in step["run"]:
            return self.say(False, title + ": an expression inside a command is a way in for whoever chooses its value; use env")
        environment = dict(self.environment, **{key: expand(value, self.values) for key, value in step.get("env", {}).items()})
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=self.checkout, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            print(done.stdout[-2000:])
        return self.say(done.returncode == 0, title)

    @staticmethod
    def say(is_right, title):
        print(("ok " if is_right else "not ok ") + title)
        return is_right


def main():
    workflow, source, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    (folder / "artifacts").mkdir(parents=True, exist_ok=True)
    content = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    values = {"github.server_url": "https://example.org", "github.repository": "some/where", "github.token": "token",
              "github.ref": "refs/tags/" + os.environ["TAG"], "github.ref_name": os.environ["TAG"], "runner.temp": str(folder)}
    if "runs" in content:
        for name, details in content["inputs"].items():
            values["inputs." + name] = os.environ.get("INPUT_" + name.upper().replace("-", "_"), details.get("default", ""))
        jobs = {"action": content["runs"]}
    else:
        jobs = content["jobs"]
    is_right = True
    for name, job in jobs.items():
        for matrix in combinations(job.get("strategy", {}).get("matrix", {})):
            known = dict(values, **{f"matrix.{key}": value for key, value in matrix.items()})
            title = " ".join([workflow.stem, name, *map(str, matrix.values())])
            is_right &= Job(title, job, known, source, folder).run()
    sys.exit(not is_right)


main()
