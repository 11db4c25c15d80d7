# SPDX-License-Identifier: MIT
"""validate.py SCHEMA FILE...: checks JSON documents against a JSON schema, and that each column has a value of
its type for every row. Exit code 1 where one does not fit, 77 without python3-jsonschema."""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)


def tables_of(document):
    for part in [document] + document.get("commands", []):
        yield from part["tables"]


KINDS = {"text": str, "integer": int, "real": (int, float), "bool": bool}


def has_type(value, kind):
    """Whether a row's value is what its column declares; null stands for what is not known."""
    return value is None or (isinstance(value, KINDS[kind]) and isinstance(value, bool) == (kind == "bool"))


def check(validator, path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    errors = [f"{'.'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in validator.iter_errors(document)]
    if not errors:
        for table in tables_of(document):
            keys = {column["key"] for column in table["columns"]}
            view = {v for k, v in table["view"].items() if k in ("x", "y", "value", "series", "filter", "class", "flag", "spread")}
            if not view <= keys:
                errors.append(f"{table['name']}: the view names columns that are not there: {view - keys}")
            rows = table["rows"]
            if set(rows) != keys or len({len(values) for values in rows.values()}) != 1:
                errors.append(f"{table['name']}: the rows are not a list of values, all as long, for each column")
                continue
            for column in table["columns"]:
                if not all(has_type(value, column["type"]) for value in rows[column["key"]]):
                    errors.append(f"{table['name']}: {column['key']} is not always of type {column['type']}")
    for error in errors[:10]:
        print(f"{path}: {error}", file=sys.stderr)
    return not errors


with open(sys.argv[1], encoding="utf-8") as schema_file:
    schema = json.load(schema_file)
jsonschema.Draft7Validator.check_schema(schema)
sys.exit(0 if all([check(jsonschema.Draft7Validator(schema), path) for path in sys.argv[2:]]) else 1)
