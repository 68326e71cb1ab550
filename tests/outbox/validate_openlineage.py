"""Reads run events, one JSON object per line, into the classes of openlineage-python and writes them again.

Prints one line per fault: an unknown field, a missing one, a wrong type, a wrong version of a facet, or a value that the classes
change.
"""
import json
import sys
from typing import Any, Optional

from cattrs import Converter
from openlineage.client.event_v2 import RunEvent
from openlineage.client.facet_v2 import (
    DatasetFacet,
    InputDatasetFacet,
    JobFacet,
    OutputDatasetFacet,
    RunFacet,
    column_lineage_dataset,
    error_message_run,
    job_type_job,
    nominal_time_run,
    output_statistics_output_dataset,
    parent_run,
    processing_engine_run,
    schema_dataset,
)
from openlineage.client.serde import Serde

# The names under which the specification has these facets.
FACETS: dict[type, dict[str, type]] = {
    RunFacet: {
        "errorMessage": error_message_run.ErrorMessageRunFacet,
        "nominalTime": nominal_time_run.NominalTimeRunFacet,
        "parent": parent_run.ParentRunFacet,
        "processing_engine": processing_engine_run.ProcessingEngineRunFacet,
    },
    JobFacet: {"jobType": job_type_job.JobTypeJobFacet},
    DatasetFacet: {
        "columnLineage": column_lineage_dataset.ColumnLineageDatasetFacet,
        "schema": schema_dataset.SchemaDatasetFacet,
    },
    InputDatasetFacet: {},
    OutputDatasetFacet: {"outputStatistics": output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet},
}

converter = Converter(forbid_extra_keys=True)


def facets_of(base: type):
    """Facets are dictionaries whose classes follow from their names."""

    def read(values: dict[str, Any], _: type) -> dict[str, Any]:
        return {name: facet(FACETS[base][name], dict(value)) for name, value in values.items()}

    return read


def facet(kind: type, fields: dict[str, Any]) -> Any:
    schema = fields.pop("_schemaURL")
    if schema != kind._get_schema():
        raise ValueError(f"{schema} is not {kind._get_schema()}")
    producer = fields.pop("_producer")
    read = converter.structure(fields, kind)
    read._producer = producer
    return read


for base in FACETS:
    kinds = (dict[str, base], dict[str, base] | None, Optional[dict[str, base]])
    converter.register_structure_hook_func(lambda kind, kinds=kinds: kind in kinds, facets_of(base))


def plain(value: Any) -> Any:
    """Without absent and empty parts, which the classes do not distinguish."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    fields = {name: plain(each) for name, each in value.items()}
    return {name: each for name, each in fields.items() if each not in (None, [], {})}


def fault_of(line: str) -> str | None:
    sent = json.loads(line)
    fields = dict(sent)
    schema = fields.pop("schemaURL")
    if schema != RunEvent._get_schema():
        return f"{schema} is not {RunEvent._get_schema()}"
    try:
        event = converter.structure(fields, RunEvent)
    except Exception as error:  # every fault is reported
        return "".join(describe(error))
    written = json.loads(Serde.to_json(event))
    return None if plain(written) == plain(sent) else f"{line.strip()} became {json.dumps(written)}"


def describe(error: BaseException) -> list[str]:
    inner = getattr(error, "exceptions", ())
    return [f"{error}; ", *(text for each in inner for text in describe(each))]


count = 0
for line in sys.stdin:
    count += 1
    fault = fault_of(line)
    if fault is not None:
        print(f"event {count}: {fault}")
print(f"{count} events")
