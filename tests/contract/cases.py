"""Arguments for every operation, as a program sends them and as a person types them.

The cases run in this order against one repository, so that later ones see what earlier ones did.
`$cursor` stands for the cursor that the last page gave.
"""

from __future__ import annotations

from tests.contract.analysis_cases import ANALYSIS_CASES
from tests.contract.case import CURSOR, Case
from tests.contract.comment_cases import COMMENT_CASES
from tests.contract.comment_search_cases import COMMENT_SEARCH_CASES
from tests.contract.complexity_cases import COMPLEXITY_CASES
from tests.contract.comprehensive_cases import COMPREHENSIVE_CASES
from tests.contract.context_cases import CONTEXT_CASES
from tests.contract.dead_code_cases import DEAD_CODE_CASES
from tests.contract.debt_cases import DEBT_CASES
from tests.contract.defect_cases import DEFECT_CASES
from tests.contract.duplicates_cases import DUPLICATES_CASES
from tests.contract.gate_cases import GATE_CASES
from tests.contract.graph_cases import GRAPH_CASES
from tests.contract.map_cases import MAP_CASES
from tests.contract.memory_cases import MEMORY_CASES
from tests.contract.name_cases import NAME_CASES
from tests.contract.prepared import COMMENT, IDS, ISSUES, MILESTONE
from tests.contract.source_cases import SOURCE_CASES
from tests.contract.task_cases import TASK_CASES
from tests.contract.task_link_cases import TASK_LINK_CASES
from tests.contract.task_look_cases import TASK_LOOK_CASES
from tests.contract.task_step_cases import TASK_STEP_CASES
from tests.contract.trend_cases import TREND_CASES

MAKEFILE = "template://makefile/rust/cli"


CASES = [
    Case("list_messages", ("inbox", "list")),
    Case("list_messages", ("inbox", "list", "--state", "pending"), {"state": "pending"}),
    Case("list_messages", ("inbox", "list", "--limit", "2"), {"limit": 2}),
    Case("list_messages", ("inbox", "list", "--newest", "--limit", "2"), {"newest": True, "limit": 2}),
    Case("list_messages", ("inbox", "list", "--limit=2", "--cursor", CURSOR), {"limit": 2, "cursor": CURSOR}),
    Case("list_messages", ("inbox", "list", "--limit", "0"), {"limit": 0}, "invalid_arguments"),
    Case("list_messages", ("inbox", "list", "--limit", "many"), {"limit": "many"}, "invalid_arguments"),
    Case("list_messages", ("inbox", "list", "--cursor", "bad"), {"cursor": "bad"}, "invalid_cursor"),
    Case("show_message", ("inbox", "show", IDS[0]), {"message_id": IDS[0]}),
    Case("show_message", ("inbox", "show", IDS[1][:8]), {"message_id": IDS[1][:8]}),
    Case("show_message", ("inbox", "show", IDS[2]), {"message_id": IDS[2]}),
    Case("show_message", ("inbox", "show", "m_0000"), {"message_id": "m_0000"}, "not_found"),
    Case("show_message", ("inbox", "show"), {}, "invalid_arguments"),
    Case(
        "send_message",
        ("send", "--file", "src/main.py", "--comment", "One more", "--line", "2-3", "--author", "Ada"),
        {"file": "src/main.py", "comment": "One more", "line": "2-3", "author": "Ada"},
    ),
    Case(
        "send_message",
        ("send", "--anyway", "--file", "größe.py", "--comment", "ü"),
        {"anyway": True, "file": "größe.py", "comment": "ü"},
    ),
    Case(
        "send_message",
        ("inbox", "send", "--file", "../outside", "--comment", "x"),
        {"file": "../outside", "comment": "x"},
        "invalid_path",
    ),
    Case(
        "send_message",
        ("send", "--file", "a.py", "--comment", "x" * 10_001),
        {"file": "a.py", "comment": "x" * 10_001},
        "invalid_arguments",
    ),
    Case(
        "send_message",
        ("send", "--file", "absent.py", "--comment", "x"),
        {"file": "absent.py", "comment": "x"},
        "not_found",
    ),
    Case(
        "send_message",
        ("send", "--anyway", "--file", "absent.py", "--comment", "x"),
        {"anyway": True, "file": "absent.py", "comment": "x"},
    ),
    Case("send_message", ("send",), {}, "invalid_arguments"),
    Case("apply_suggestion", ("inbox", "apply", IDS[3]), {"message_id": IDS[3]}),
    Case("apply_suggestion", ("inbox", "apply", IDS[1]), {"message_id": IDS[1]}, "invalid"),
    Case("withdraw_message", ("inbox", "withdraw", "m_0000"), {"message_id": "m_0000"}, "not_found"),
    Case("withdraw_message", ("inbox", "withdraw", IDS[-1]), {"message_id": IDS[-1]}),
    Case(
        "reply_to_message",
        ("inbox", "reply", IDS[1], "--text", "Settled"),
        {"message_id": IDS[1], "text": "Settled"},
    ),
    Case(
        "reply_to_message",
        ("inbox", "reply", "m_ffffffff", "-t", "Settled", "--author", "me"),
        {"message_id": "m_ffffffff", "text": "Settled", "author": "me"},
        "not_found",
    ),
    Case(
        "drain_messages",
        ("inbox", "drain", "--hook", "--max-characters", "500"),
        {"hook": True, "max_characters": 500},
    ),
    Case("check_lazygit_messages", ("inbox", "check")),
    Case("check_lazygit_messages", ("inbox", "check")),
    Case("drain_messages", ("inbox", "drain")),
    Case("list_messages", ("inbox", "list", "--state", "delivered"), {"state": "delivered"}),
    Case("list_templates", ("templates", "list", "--category", "makefile"), {"category": "makefile"}),
    Case("list_templates", ("templates", "list", "--toolchain", "cobol"), {"toolchain": "cobol"}),
    Case("search_templates", ("templates", "search", "rust cli makefile"), {"query": "rust cli makefile"}),
    Case("search_templates", ("templates", "search", ""), {"query": ""}, "invalid_arguments"),
    Case(
        "generate_template",
        ("templates", "generate", MAKEFILE, "--parameters", '{"project_name": "kelp", "features": ["a"]}'),
        {"resource_uri": MAKEFILE, "parameters": {"project_name": "kelp", "features": ["a"]}},
    ),
    Case(
        "generate_template",
        ("templates", "generate", "template://makefile/rust/gui", "--parameters", "{}"),
        {"resource_uri": "template://makefile/rust/gui", "parameters": {}},
        "template_not_found",
    ),
    Case(
        "generate_template",
        ("templates", "generate", "template://makefile/../rust", "--parameters", "{}"),
        {"resource_uri": "template://makefile/../rust", "parameters": {}},
        "invalid_template_uri",
    ),
    Case(
        "generate_template",
        ("templates", "generate", MAKEFILE, "--parameters", '{"project_name": "a/b"}'),
        {"resource_uri": MAKEFILE, "parameters": {"project_name": "a/b"}},
        "parameter_validation",
    ),
    Case(
        "validate_template",
        ("templates", "validate", MAKEFILE, "--parameters", '{"project_name": "kelp"}'),
        {"resource_uri": MAKEFILE, "parameters": {"project_name": "kelp"}},
    ),
    Case(
        "scaffold_project",
        ("templates", "scaffold", "go", "--templates", "all", "--parameters", '{"project_name": "kelp"}'),
        {"toolchain": "go", "templates": ["all"], "parameters": {"project_name": "kelp"}},
    ),
    Case(
        "scaffold_project",
        ("templates", "scaffold", "go", "--templates", "all", "--parameters", '{"nam": "kelp"}'),
        {"toolchain": "go", "templates": ["all"], "parameters": {"nam": "kelp"}},
        "parameter_validation",
    ),
    Case("git_mile_list", ("milestones", "list", "issue", "--limit", "1"), {"entity": "issue", "limit": 1}),
    Case(
        "git_mile_list",
        ("milestones", "list", "issue", "--limit", "1", "--cursor", CURSOR),
        {"entity": "issue", "limit": 1, "cursor": CURSOR},
    ),
    Case("git_mile_list", ("milestones", "list", "milestone"), {"entity": "milestone"}),
    Case("git_mile_list", ("milestones", "list"), {"entity": "issue"}),
    Case(
        "git_mile_list",
        ("milestones", "list", "issue", "--filter", "label = bug and due = null", "--sort", "title:desc"),
        {"entity": "issue", "filter": "label = bug and due = null", "sort": ["title:desc"]},
    ),
    Case(
        "git_mile_list",
        ("milestones", "list", "issue", "--filter", "status == closed", "--limit", "501"),
        {"entity": "issue", "filter": "status == closed", "limit": 501},
    ),
    Case("git_mile_list", ("milestones", "list", "task"), {"entity": "task"}, "invalid_arguments"),
    Case(
        "git_mile_list",
        ("milestones", "list", "issue", "--filter", "colour = red"),
        {"entity": "issue", "filter": "colour = red"},
        "invalid",
    ),
    Case(
        "git_mile_list",
        ("milestones", "list", "issue", "--sort", "colour"),
        {"entity": "issue", "sort": ["colour"]},
        "invalid",
    ),
    Case(
        "git_mile_list",
        ("milestones", "list", "issue", "--cursor", "bad"),
        {"entity": "issue", "cursor": "bad"},
        "invalid_cursor",
    ),
    Case("git_mile_overview", ("milestones", "overview", "milestone"), {"entity": "milestone"}),
    Case("git_mile_overview", ("milestones", "overview", "--limit", "1"), {"entity": "issue", "limit": 1}),
    Case(
        "git_mile_overview",
        ("milestones", "overview", "issue", "--filter", "colour = red"),
        {"entity": "issue", "filter": "colour = red"},
        "invalid",
    ),
    Case("git_mile_vocabulary", ("milestones", "vocabulary", "milestone"), {"entity": "milestone"}),
    Case("git_mile_vocabulary", ("milestones", "vocabulary")),
    Case(
        "git_mile_vocabulary", ("milestones", "vocabulary", "task"), {"entity": "task"}, "invalid_arguments"
    ),
    Case("git_mile_show", ("milestones", "show", MILESTONE), {"entity": "milestone", "id": MILESTONE}),
    Case("git_mile_show", ("milestones", "show", ISSUES[0][:6]), {"entity": "issue", "id": ISSUES[0][:6]}),
    Case(
        "git_mile_show",
        ("milestones", "show", MILESTONE, "--entity", "issue"),
        {"entity": "issue", "id": MILESTONE},
        "unknown_entity",
    ),
    Case("git_mile_export", ("milestones", "export"), {}),
    Case("git_mile_export", ("milestones", "export", "--format", "entities"), {"format": "entities"}),
    Case(
        "git_mile_export",
        ("milestones", "export", "out.json", "--format", "github"),
        {"file": "out.json", "format": "github"},
    ),
    Case("git_mile_export", ("milestones", "export", "out.json"), {"file": "out.json"}, "conflict"),
    Case("git_mile_import", ("milestones", "import", "issues.json"), {"file": "issues.json"}),
    Case("git_mile_import", ("milestones", "import", "../x"), {"file": "../x"}, "invalid_path"),
    Case("git_mile_ready", ("milestones", "ready", "--label", "bug"), {"label": ["bug"]}),
    Case(
        "git_mile_create",
        (
            "milestones",
            "create",
            "issue",
            "New",
            "--label",
            "bug",
            "--milestone",
            "8903",
            "--request-id",
            "r1",
        ),
        {"entity": "issue", "title": "New", "label": ["bug"], "milestone": "8903", "requestId": "r1"},
    ),
    Case(
        "git_mile_create",
        (
            "milestones",
            "create",
            "issue",
            "New",
            "--label",
            "bug",
            "--milestone",
            "8903",
            "--request-id",
            "r1",
        ),
        {"entity": "issue", "title": "New", "label": ["bug"], "milestone": "8903", "requestId": "r1"},
    ),
    Case("git_mile_create", ("milestones", "create", "issue"), {"entity": "issue"}, "invalid_arguments"),
    Case(
        "git_mile_edit",
        ("milestones", "edit", ISSUES[1], "--title", "Size", "--due", "none"),
        {"id": ISSUES[1], "title": "Size", "due": "none"},
    ),
    Case("git_mile_edit", ("milestones", "edit", ISSUES[1]), {"id": ISSUES[1]}, "invalid_arguments"),
    Case(
        "git_mile_comment",
        ("milestones", "comment", ISSUES[0], "-b", "Seen"),
        {"id": ISSUES[0], "body": "Seen"},
    ),
    Case(
        "git_mile_comment",
        ("milestones", "comment", MILESTONE, "-b", "Kick-off", "--replaces", COMMENT),
        {"id": MILESTONE, "body": "Kick-off", "replaces": COMMENT},
    ),
    Case(
        "git_mile_delete_comment",
        ("milestones", "delete-comment", MILESTONE, COMMENT),
        {"id": MILESTONE, "commentId": COMMENT},
    ),
    Case(
        "git_mile_label",
        ("milestones", "label", ISSUES[0], "--add", "urgent", "--remove", "bug"),
        {"id": ISSUES[0], "add": ["urgent"], "remove": ["bug"]},
    ),
    Case("git_mile_label", ("milestones", "label", ISSUES[0]), {"id": ISSUES[0]}, "invalid_arguments"),
    Case(
        "git_mile_link",
        (
            "milestones",
            "link",
            ISSUES[1],
            "--milestone",
            MILESTONE,
            "--depends-on",
            ISSUES[0],
            "--to",
            "src/main.py",
        ),
        {"id": ISSUES[1], "milestone": MILESTONE, "dependsOn": [ISSUES[0]], "to": ["src/main.py"]},
    ),
    Case("git_mile_link", ("milestones", "link", ISSUES[1]), {"id": ISSUES[1]}, "invalid_arguments"),
    Case("git_mile_assign", ("milestones", "assign", ISSUES[0], "Ada"), {"id": ISSUES[0], "assignee": "Ada"}),
    Case(
        "git_mile_claim",
        ("milestones", "claim", ISSUES[0], "--minutes", "5", "--actor", "A <a@x>"),
        {"id": ISSUES[0], "minutes": 5, "actor": "A <a@x>"},
    ),
    Case(
        "git_mile_claim",
        ("milestones", "claim", ISSUES[0], "--actor", "B <b@x>"),
        {"id": ISSUES[0], "actor": "B <b@x>"},
        "conflict",
    ),
    Case(
        "git_mile_release",
        ("milestones", "release", ISSUES[0], "--actor", "A <a@x>"),
        {"id": ISSUES[0], "actor": "A <a@x>"},
    ),
    Case("git_mile_close", ("milestones", "close", ISSUES[0]), {"id": ISSUES[0]}),
    Case(
        "git_mile_open",
        ("milestones", "open", ISSUES[0], "--comment", "x"),
        {"id": ISSUES[0], "comment": "x"},
    ),
    Case("git_mile_log", ("milestones", "log", ISSUES[0]), {"id": ISSUES[0]}),
    Case("git_mile_log", ("milestones", "log", "--limit", "500"), {"limit": 500}),
    Case("git_mile_show", ("milestones", "show", ISSUES[1]), {"entity": "issue", "id": ISSUES[1]}),
    Case("git_mile_init", ("milestones", "init")),
    Case("git_mile_sync", ("milestones", "sync")),
    Case("git_mile_sync", ("milestones", "sync", "nowhere"), {"remote": "nowhere"}, "not_found"),
    *ANALYSIS_CASES,
    *COMMENT_CASES,
    *COMMENT_SEARCH_CASES,
    *MEMORY_CASES,
    *CONTEXT_CASES,
    *DEAD_CODE_CASES,
    *COMPLEXITY_CASES,
    *GRAPH_CASES,
    *MAP_CASES,
    *NAME_CASES,
    *GATE_CASES,
    *DEBT_CASES,
    *DUPLICATES_CASES,
    *TREND_CASES,
    *DEFECT_CASES,
    *COMPREHENSIVE_CASES,
    *TASK_CASES,
    *TASK_LINK_CASES,
    *TASK_LOOK_CASES,
    *TASK_STEP_CASES,
    *SOURCE_CASES,
    Case("find_tools", ("tools", "find", "burndown chart"), {"query": "burndown chart"}),
    Case("find_tools", ("tools", "find", "xyzzy", "--limit", "2"), {"query": "xyzzy", "limit": 2}),
    Case("check_stores", ("doctor",), attention=True),
    Case("measure_stores", ("stats",)),
    Case("check_stores", ("stores", "check", "--fix"), {"fix": True}, attention=True),
]
