"""All limits that a specification sets or the documentation promises.

Sizes are in bytes unless the name says characters; names without a unit are counts. A limit is inclusive: the
value itself is accepted. Groups named after a specification have its numbers. All others are judgements:
large enough for ordinary use, and small enough that no request exhausts memory, time or a client's context.
"""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB


# Every command imports this; generating the methods of a dataclass with so many fields takes milliseconds.
@dataclass(frozen=True, init=False, eq=False, repr=False, match_args=False)
class Limits:
    """Limits of the wire, of dispatch and of the stores."""

    # Transport (specification: agent-toolkit, "Transport Layer" and "Security Considerations").
    read_chunk: int = 64 * KIB
    write_chunk: int = 8 * KIB
    request_bytes: int = 1 * MIB
    response_bytes: int = 10 * MIB
    requests_in_flight: int = 128
    request_burst: int = 1000
    requests_per_second: float = 100.0
    drain_seconds: float = 30.0
    end_of_input_drain_seconds: float = 1.5
    """Clients wait about two seconds between closing our input and sending a signal."""

    # Our own limits for the memory that requests within the limits above may need.
    requests_parked: int = 1024
    """How many requests wait in the queue while `requests_in_flight` are running."""
    parked_bytes: int = 16 * MIB
    queued_output_bytes: int = 32 * MIB
    requests_unread: int = 16
    """How many requests run at once if the client does not read its answers."""

    # HTTP, per worker process. All users of the same token are one client.
    header_seconds: float = 10.0
    body_seconds: float = 20.0
    connections: int = 512
    streams_per_client: int = 32
    keep_alive_seconds: int = 30
    event_stream_ping_seconds: float = 15.0
    events_kept: int = 1000
    """How many past events a client can request when it reconnects to an event stream."""
    sessions: int = 1000
    sessions_per_client: int = 100
    session_idle_seconds: float = 1800.0
    session_events: int = 256
    session_event_bytes: int = 1 * MIB
    session_streams: int = 16
    tokens: int = 1000
    # Rendering of Markdown for the page: texts in one request, and the length of each.
    markdown_texts: int = 500
    markdown_characters: int = 100_000

    # Dispatch.
    worker_threads: int = 32
    """More threads would only compete for the interpreter, also with the event loop."""
    switch_seconds: float = 0.001
    """The interval at which the interpreter switches threads, so that the event loop responds promptly."""
    operation_seconds: float = 60.0
    deferred_calls: int = 16
    """Half of the threads: a call that waits for a person keeps one."""
    deferred_call_seconds: float = 86_400.0
    """How long the result of a call is kept for a client that collects it later."""
    list_page: int = 200
    answer_bytes: int = 10_000
    """The length of a tool's answer to a model that does not ask for more: about 3,000 tokens."""

    # The inbox (specification: lazygit-bridge).
    messages_per_call: int = 10
    delivery_lease_seconds: float = 30.0
    message_comment_characters: int = 10_000
    reply_characters: int = 10_000
    hook_characters: int = 9_000
    legacy_message_file_bytes: int = 1 * MIB
    diff_file_bytes: int = 2 * MIB

    # Templates (specification: agent-toolkit; bounds for templates that others wrote are ours).
    template_file_bytes: int = 256 * KIB
    own_templates: int = 500
    parameter_characters: int = 2_000
    parameter_items: int = 100
    rendered_file_bytes: int = 1 * MIB
    scaffold_bytes: int = 4 * MIB
    render_seconds: float = 1.0
    render_wait_seconds: float = 20.0
    render_memory_bytes: int = 512 * MIB

    # Milestones and issues.
    entity_title_characters: int = 500
    entity_text_characters: int = 100_000
    entity_word_characters: int = 200
    entity_set_members: int = 1000
    request_characters: int = 200
    entity_page: int = 50
    entity_largest_page: int = 500
    entity_page_characters: int = 400_000
    shown_comment_bytes: int = 2 * MIB
    filter_bytes: int = 4 * KIB
    filter_depth: int = 32
    claim_seconds: float = 3600.0
    log_commit_bytes: int = 32 * MIB
    """Larger commits are not imported; our own have a few megabytes at most."""

    # Comments (specification: paired-comments; bounds on files are ours).
    comment_characters: int = 10_000
    comment_author_characters: int = 200
    comment_source_bytes: int = 4 * MIB
    sidecar_bytes: int = 16 * MIB
    export_bytes: int = 2 * MIB
    """An answer contains an export twice, as content and as data, with escapes."""
    prompt_source_characters: int = 400_000
    scan_seconds: float = 1800.0

    # Analyses.
    source_file_bytes: int = 4 * MIB
    listed_bytes: int = 256 * MIB
    file_seconds: float = 30.0
    """How long a worker process may take for one file; the parsers' own timeouts are shorter."""
    analysis_memory_bytes: int = 1536 * MIB
    """For the processes of one analysis in a server together, or for a command."""
    record_cache_bytes: int = 512 * MIB
    records_in_memory_bytes: int = 128 * MIB
    pattern_characters: int = 1000
    patterns: int = 100
    coverage_report_bytes: int = 64 * MIB
    commit_cache_bytes: int = 512 * MIB
    trend_points: int = 100_000
    """How many are stored, at about half a kilobyte each."""
    trend_commits: int = 2_000
    churn_days: int = 36_525
    churn_files: int = 10_000
    complexity_functions: int = 10_000
    heat_versions: int = 10_000
    """Two years of Django have 8,500, which take 40 seconds."""
    debt_items: int = 10_000
    clone_groups: int = 1_000_000
    clone_lines: int = 10_000
    clone_tokens: int = 100_000
    graph_nodes: int = 10_000
    similar_names: int = 1_000
    name_characters: int = 200
    pagerank_seeds: int = 100
    graphml_bytes: int = 3 * MIB
    """An answer contains the document three times if its text is JSON."""
    defect_files: int = 10_000
    gate_violations: int = 10_000

    # Reading sources.
    folder_entries: int = 10_000
    source_lines: int = 5_000
    source_line_characters: int = 2_000
    source_page_characters: int = 400_000
    source_symbols: int = 5_000

    # Diffs. A response with all lines of a file and marked words is smaller than `response_bytes`.
    review_files: int = 500
    review_bytes: int = 8 * MIB
    review_lines: int = 5_000

    # Other services over the network.
    web_connect_seconds: float = 10.0
    web_seconds: float = 30.0
    web_answer_bytes: int = 16 * MIB
    web_redirects: int = 3
    web_wait_seconds: float = 5.0
    """If a service requests a longer wait, the caller receives an error instead."""
    sync_seconds: float = 300.0
    sync_pages: int = 200
    credential_seconds: float = 15.0
    import_file_bytes: int = 16 * MIB
    import_files: int = 5_000
    import_folder_bytes: int = 64 * MIB

    # Documents of other programs and people.
    foreign_depth: int = 100
    foreign_values: int = 4_000_000
    foreign_yaml_characters: int = 64 * KIB

    # Stores.
    path_characters: int = 4096
    path_segment_bytes: int = 255
    database_busy_seconds: float = 10.0
    lock_wait_seconds: float = 10.0
    crowded_lock_seconds: float = 45.0
    """How long to wait for a lock that many processes contend for; it has no queue, so waits vary."""
    git_seconds: float = 30.0
    git_network_seconds: float = 300.0
    index_seconds: float = 600.0
    git_output_bytes: int = 64 * MIB
    configuration_file_bytes: int = 16 * MIB

    def __init__(self, **others: float) -> None:
        self.__dict__.update(others)


LIMITS = Limits()
