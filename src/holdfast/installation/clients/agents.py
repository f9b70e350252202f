"""The table of agents: where each keeps its configuration, and which parts of Holdfast it can use.

Contract: only what a client documents is in the table (the sources are in `docs/clients.md`). A path of a
user that begins with `~/` is in the home directory, one that begins with `^` in the client's folder if a
variable names that and otherwise in the home directory, and any other in the client's folder.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from holdfast.installation.client import InstallationContext, Part, Scope

Places = dict[Scope, str]


@dataclass(frozen=True)
class Agent:
    """What is known about one client."""

    name: str
    title: str
    folder: str
    """The folder with the user's configuration."""
    server: Places
    server_form: str = "plain"
    """How an entry starts the server; see `agent_entries`."""
    folder_variable: str = ""
    """The environment variable that names another folder."""
    programs: tuple[str, ...] = ()
    """Programs that show that the client is installed. Its folder shows that, too."""
    hooks: Places = field(default_factory=dict)
    hook_form: str = "groups"
    """`groups`: commands in groups with a matcher. `list`: a list of commands, in a file with a version.
    `plugin`: a module that calls the command."""
    dialect: str = ""
    """The row of `dialects`."""
    skills: Places = field(default_factory=dict)
    """The folders of skills."""
    command: Places = field(default_factory=dict)
    """The files of the slash command `/remarks`. Where there is none, skills are commands as well."""
    instructions: Places = field(default_factory=dict)
    """The files with instructions that get a section."""
    first_scope: Scope = Scope.PROJECT
    notes: tuple[str, ...] = ()

    @property
    def scopes(self) -> tuple[Scope, ...]:
        return tuple(sorted(self.server, key=lambda scope: scope is not self.first_scope))

    def places(self, part: Part) -> Places:
        """Return where a part goes, by scope."""
        by_part = {
            Part.SERVER: self.server,
            Part.HOOKS: self.hooks,
            Part.SKILLS: self.skills,
            Part.COMMANDS: self.command,
            Part.INSTRUCTIONS: self.instructions,
        }
        return by_part[part]

    def folder_of(self, context: InstallationContext) -> str:
        """Return the folder with the user's configuration on a machine."""
        named = context.environment.get(self.folder_variable) if self.folder_variable else None
        if named:
            return named
        configuration = context.environment.get("XDG_CONFIG_HOME") or f"{context.home}/.config"
        place = self.folder.replace("~", context.home)
        return place.replace("{support}", context.application_support).replace("{config}", configuration)


_PROJECT, _USER, _PLUGIN = Scope.PROJECT, Scope.USER, Scope.PLUGIN
_SHARED_SKILLS = {_PROJECT: ".agents/skills", _USER: "~/.agents/skills"}

AGENTS = (
    Agent(
        "claude-code",
        "Claude Code",
        "~/.claude",
        {_PROJECT: ".mcp.json", _USER: "^.claude.json", _PLUGIN: ".mcp.json"},
        server_form="typed",
        folder_variable="CLAUDE_CONFIG_DIR",
        programs=("claude",),
        hooks={_PROJECT: ".claude/settings.json", _USER: "settings.json", _PLUGIN: "hooks/hooks.json"},
        dialect="claude-code",
        skills={_PROJECT: ".claude/skills", _USER: "skills", _PLUGIN: "skills"},
        command={
            _PROJECT: ".claude/commands/remarks.md",
            _USER: "commands/remarks.md",
            _PLUGIN: "commands/remarks.md",
        },
        instructions={_PROJECT: "CLAUDE.md", _USER: "CLAUDE.md"},
        notes=(
            "Claude Code asks once whether to trust a project's server and hooks; /mcp shows the server.",
        ),
    ),
    Agent(
        "claude-desktop",
        "Claude Desktop",
        "{support}/Claude",
        {_USER: "claude_desktop_config.json"},
        server_form="rooted",
        notes=(
            "Quit Claude Desktop and start it again: it reads the file at start.",
            "The entry serves this repository; for another, run the command there with --name.",
        ),
    ),
    Agent(
        "cursor",
        "Cursor",
        "~/.cursor",
        {_PROJECT: ".cursor/mcp.json", _USER: "mcp.json"},
        server_form="editor",
        programs=("cursor", "cursor-agent"),
        hooks={_PROJECT: ".cursor/hooks.json", _USER: "hooks.json"},
        hook_form="list",
        dialect="cursor",
        skills=_SHARED_SKILLS,
        instructions={_PROJECT: "AGENTS.md"},
        notes=("Cursor shows the server in its settings under MCP, where it can be switched on.",),
    ),
    Agent(
        "vscode",
        "VS Code",
        "{support}/Code/User",
        {_PROJECT: ".vscode/mcp.json", _USER: "mcp.json"},
        server_form="editor",
        programs=("code",),
        hooks={_PROJECT: ".github/hooks/holdfast.json", _USER: "~/.copilot/hooks/holdfast.json"},
        hook_form="list",
        dialect="copilot",
        skills=_SHARED_SKILLS,
        instructions={_PROJECT: "AGENTS.md"},
        notes=(
            'VS Code asks whether to trust the server; the command "MCP: List Servers" starts it.',
            "Hooks of VS Code are a preview, which an organisation may have disabled.",
        ),
    ),
    Agent(
        "codex",
        "Codex",
        "~/.codex",
        {_USER: "config.toml", _PROJECT: ".codex/config.toml"},
        server_form="toml",
        folder_variable="CODEX_HOME",
        programs=("codex",),
        hooks={_PROJECT: ".codex/hooks.json", _USER: "hooks.json"},
        dialect="codex",
        skills=_SHARED_SKILLS,
        instructions={_PROJECT: "AGENTS.md", _USER: "AGENTS.md"},
        first_scope=_USER,
        notes=(
            "Restart Codex; /mcp shows the server.",
            "It reads a project's files only once you trust the project.",
        ),
    ),
    Agent(
        "gemini-cli",
        "Gemini CLI",
        "~/.gemini",
        {_PROJECT: ".gemini/settings.json", _USER: "settings.json"},
        server_form="plain",
        programs=("gemini",),
        hooks={_PROJECT: ".gemini/settings.json", _USER: "settings.json"},
        dialect="gemini-cli",
        skills=_SHARED_SKILLS,
        command={_PROJECT: ".gemini/commands/remarks.toml", _USER: "commands/remarks.toml"},
        instructions={_PROJECT: "GEMINI.md", _USER: "GEMINI.md"},
        notes=("Restart Gemini CLI; /mcp shows the server. It asks whether to trust a project's hooks.",),
    ),
    Agent(
        "copilot-cli",
        "Copilot CLI",
        "~/.copilot",
        {_PROJECT: ".github/mcp.json", _USER: "mcp-config.json"},
        server_form="copilot",
        folder_variable="COPILOT_HOME",
        programs=("copilot",),
        hooks={_PROJECT: ".github/hooks/holdfast.json", _USER: "hooks/holdfast.json"},
        hook_form="list",
        dialect="copilot",
        skills=_SHARED_SKILLS,
        instructions={_PROJECT: "AGENTS.md", _USER: "copilot-instructions.md"},
        notes=("Restart Copilot CLI; /mcp shows the server.",),
    ),
    Agent(
        "opencode",
        "opencode",
        "{config}/opencode",
        {_PROJECT: "opencode.json", _USER: "opencode.json"},
        server_form="opencode",
        programs=("opencode",),
        hooks={_PROJECT: ".opencode/plugins/holdfast.js", _USER: "plugins/holdfast.js"},
        hook_form="plugin",
        dialect="opencode",
        skills=_SHARED_SKILLS,
        command={_PROJECT: ".opencode/commands/remarks.md", _USER: "commands/remarks.md"},
        instructions={_PROJECT: "AGENTS.md", _USER: "AGENTS.md"},
        notes=("Restart opencode: it loads its plugins at start.",),
    ),
)
