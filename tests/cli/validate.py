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


KINDS = {"text": str, "kernel": str, "integer": int, "size": int, "cpu": int, "class": int, "flags": int,
         "real": (int, float), "bool": bool}


def has_type(value, kind):
    """Whether a row's value is what its column declares; null: it is unknown."""
    return value is None or (isinstance(value, KINDS[kind]) and isinstance(value, bool) == (kind == "bool"))


def check(validator, path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    errors = [f"{'.'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in validator.iter_errors(document)]
    if not errors:
        for table in tables_of(document):
            keys = {column["key"] for column in table["columns"]}
            view = {v for k, v in table["view"].items() if k in ("x", "y", "value", "series", "class", "flag", "spread", "state", "lines", "duration")}
            if not view <= keys:
                errors.append(f"{table['name']}: the view names columns that are not there: {view - keys}")
            rows = table["rows"]
            lists = [part for values in rows.values() for part in (values.values() if isinstance(values, dict) else [values])]
            if set(rows) != keys or len({len(values) for values in lists}) != 1:
                errors.append(f"{table['name']}: the rows are not a list of values, all as long, for each column")
                continue
            for column in table["columns"]:
                values, kind = rows[column["key"]], column["type"]
                if isinstance(values, dict) or kind == "summary":
                    fits = isinstance(values, dict) and kind == "summary"
                else:
                    fits = all(has_type(value, kind) for value in values)
                highest = {"class": len(column.get("names", [])), "flags": 1 << len(column.get("names", []))}.get(kind)
                if not fits or (highest is not None and any(v is not None and not 0 <= v < highest for v in values)):
                    errors.append(f"{table['name']}: {column['key']} is not always of type {kind}")
    for error in errors[:10]:
        print(f"{path}: {error}", file=sys.stderr)
    return not errors


with open(sys.argv[1], encoding="utf-8") as schema_file:
    schema = json.load(schema_file)
jsonschema.Draft7Validator.check_schema(schema)
sys.exit(0 if all([check(jsonschema.Draft7Validator(schema), path) for path in sys.argv[2:]]) else 1)
