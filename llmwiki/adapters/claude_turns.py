"""Records of a Claude Code transcript, one after the other, folded into turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Any

from llmwiki import block
from llmwiki.adapters import arguments, claude_text
from llmwiki.adapters.base import ARGUMENT_LIMIT, OWN_MARKER, Claims, Clipper, Draft, Find, stamp
from llmwiki.adapters.claude_queue import Queue
from llmwiki.adapters.claude_records import TYPES, Attachment, Block, Line
from llmwiki.adapters.claude_text import Piece

_ASKING = ("AskUserQuestion", "ask_user_question")
_PLANNING = ("ExitPlanMode", "exit_plan_mode")
_SPAWNING = ("Task", "Agent")
_SYSTEM_LIMIT = 3_000
_SUMMARY_LIMIT = 12_000


class Fold:
    """What the lines of one source have told so far.

    `elsewhere` says whether the records of a session id are kept by another source. `mine` says whether the texts of
    sidechains are the person's: they are in copies of the main history, and nowhere else.
    """

    def __init__(
        self,
        claims: Claims,
        unknown: Counter[str],
        elsewhere: Callable[[str], bool],
        mine: bool = False,
        find: Find | None = None,
    ) -> None:
        self.claimed, self.unknown, self.elsewhere, self.mine = claims.keys, unknown, elsewhere, mine
        self.sessions: dict[str, bool] = {}
        self.main = False
        self.drafts: list[Draft] = []
        self.clip = Clipper(find)
        self.queue = Queue()
        self.seen: set[int] = set()
        self.messages: dict[str, Draft] = {}
        self.calls: dict[str, Draft] = {}
        self.copied_calls: dict[str, str] = {}
        self.models: dict[str, None] = {}
        self.cwds: dict[str, None] = {}
        self.children: dict[str, None] = {}
        self.offered: dict[str, None] = {}
        self.titles: dict[str, str] = {}
        self.summaries: list[tuple[str, str]] = []
        self.started = self.ended = self.branch = self.agent = ""
        self.count = self.copied = self.foreign = 0
        self.own = self.stream = False

    # -- one record

    def _elsewhere(self, session: str) -> bool:
        if session not in self.sessions:
            self.sessions[session] = self.elsewhere(session)
        return self.sessions[session]

    def feed(self, number: int, line: Line) -> None:
        """Takes one record into account."""
        self.count += 1
        if line.type not in TYPES:
            self.unknown[line.type or "(no type)"] += 1
            return
        if line.sessionId and self._elsewhere(line.sessionId):
            self.foreign += 1
            return
        self.stream = self.stream or line.session_id is not None
        if line.uuid:
            if not self._new(number, line):
                return
            self._note(line)
        match line.type:
            case "assistant":
                self._assistant(number, line)
            case "user":
                self._user(number, line)
            case "queue-operation":
                self._queued(number, line)
            case "attachment" if line.attachment:
                self._attachment(number, line, line.attachment)
            case "system" if line.subtype == "local_command":
                self._pieces(number, line, claude_text.pieces(flat(line.content)))
            case "custom-title" | "ai-title":
                self.titles[line.type] = line.customTitle or line.aiTitle or self.titles.get(line.type, "")
            case "summary" if line.leafUuid and line.summary:
                self.summaries.append((line.leafUuid, line.summary))

    def _new(self, number: int, line: Line) -> bool:
        """Whether this record is here for the first time, and this session's own."""
        mark = hash(line.uuid)
        if mark in self.seen:
            return False
        self.seen.add(mark)
        if self.claimed and self._is_claimed(line):
            self.copied = number
            for part in (line.message.content or ()) if line.message else ():
                if isinstance(part, Block) and part.type == "tool_use" and part.id:
                    self.copied_calls[part.id] = part.name or ""
            return False
        return True

    def _is_claimed(self, line: Line) -> bool:
        kind = line.type if line.uuid else f"{line.type} {line.operation}"
        keys = record_keys(kind, line.uuid, line.timestamp, line.message.id if line.message else None)
        return any(key in self.claimed for key in keys)

    def _note(self, line: Line) -> None:
        self.main = self.main or not line.isSidechain
        self.agent = self.agent or line.agentId or ""
        at = stamp(line.timestamp)
        if at:
            self.started = min(self.started or at, at)
            self.ended = max(self.ended, at)
        if line.cwd:
            self.cwds[line.cwd] = None
        if not self.branch and line.gitBranch and line.gitBranch != "HEAD":
            self.branch = line.gitBranch

    def _add(self, number: int, line: Line, role: str, text: str, origin: str = "") -> Draft:
        draft = Draft(number, role, stamp(line.timestamp), text, origin)
        self.drafts.append(draft)
        return draft

    # -- what the agent says and does

    def _assistant(self, number: int, line: Line) -> None:
        message = line.message
        if message is None or message.content is None:
            return
        blocks = [Block("text", message.content)] if isinstance(message.content, str) else message.content
        if line.isApiErrorMessage or message.model == "<synthetic>":
            text = "\n".join(b.text for b in blocks if b.text)
            if text and text != "No response requested.":
                self._add(number, line, "system", self.clip(text, _SYSTEM_LIMIT))
            return
        if message.model:
            self.models[message.model] = None
        for part in blocks:
            if part.type in ("text", "thinking"):
                self._say(number, line, message.id or line.uuid or "", part)
            elif part.type in ("tool_use", "server_tool_use", "mcp_tool_use") and part.id:
                self._call(number, line, part)
            elif part.type.endswith("tool_result") and part.tool_use_id:
                self._result(number, line, part)

    def _say(self, number: int, line: Line, message: str, part: Block) -> None:
        text = (part.text if part.type == "text" else part.thinking) or ""
        if not text.strip() or text == "(no content)":
            return
        draft = self.messages.get(message)
        if draft is None:
            draft = self.messages[message] = self._add(number, line, "assistant", "")
        (draft.texts if part.type == "text" else draft.thinking).append(text.strip("\n"))

    def _call(self, number: int, line: Line, part: Block) -> None:
        name = part.name or "unknown"
        if part.id in self.calls:
            return
        value = arguments.decoded(part.input)
        draft = self._add(number, line, "tool", self.clip(arguments.arguments(name, value), ARGUMENT_LIMIT))
        draft.tool = name
        if name in _PLANNING and isinstance(value, dict):
            draft.key = str(value.get("plan") or "")
        self.calls[part.id or ""] = draft

    # -- what comes back

    def _result(self, number: int, line: Line, part: Block) -> None:
        call = self.calls.get(part.tool_use_id or "")
        if call is None:
            name = self.copied_calls.get(part.tool_use_id or "") or "unknown"
            call = self._add(number, line, "tool", "")
            call.tool = name
            self.calls[part.tool_use_id or ""] = call
        elif call.outcome != "lost":
            return
        text = flat(part.content)
        said = claude_text.refusal(text, bool(part.is_error) or text.startswith(claude_text.INTERRUPT))
        if said is not None:
            call.outcome = "refused"
            call.result = "" if said else self.clip(text)
            if not claude_text.is_echo(text):
                self._add(number, line, "user", said, "refusal")
            return
        failed = bool(part.is_error)
        if "<" in text:
            text = claude_text.unwrapped(claude_text.strip_reminders(text))
        call.outcome = arguments.outcome(failed, arguments.exit_code(text))
        call.result = self.clip(text.replace("\r\n", "\n"))
        if not failed:
            self._after(number, line, call, text)
        call.key = ""

    def _after(self, number: int, line: Line, call: Draft, text: str) -> None:
        """What a result says beyond its text: a person's answers, an approved plan, a child session."""
        if call.tool in _SPAWNING:
            details = arguments.decoded(line.toolUseResult)
            child = details.get("agentId") if isinstance(details, dict) else None
            if isinstance(child, str) and child:
                self.children[child] = None
        elif call.tool in _ASKING:
            self._add(number, line, "user", answers(arguments.decoded(line.toolUseResult)) or text, "answer")
        elif call.tool in _PLANNING and not (line.isSidechain and not self.mine):
            details = arguments.decoded(line.toolUseResult)
            kept = details.get("plan") if isinstance(details, dict) else None
            plan = claude_text.plan_of(text) or (kept if isinstance(kept, str) else "") or call.key
            self._add(number, line, "user", plan, "plan")

    # -- what is said to the agent

    def _user(self, number: int, line: Line) -> None:
        content = line.message.content if line.message else None
        if content is None:
            return
        blocks = [Block("text", content)] if isinstance(content, str) else content
        results = [b for b in blocks if b.type == "tool_result"]
        for part in results:
            self._result(number, line, part)
        told = [b for b in blocks if b.type != "tool_result"]
        if results and (not told or any(_loads_tools(b) for b in results)):
            return
        self._told(number, line, told)

    def _told(self, number: int, line: Line, blocks: list[Block]) -> None:
        if line.isCompactSummary:
            self._add(number, line, "summary", self.clip(flat(blocks), _SUMMARY_LIMIT))
            return
        # What a hook added to a prompt stands in a reminder or an element of its own in older releases.
        self.offered.update(dict.fromkeys(block.cut(flat(blocks))[1]))
        found: list[Piece] = []
        for part in blocks:
            found += (
                claude_text.pieces(part.text or "") if part.type == "text" else [Piece("user", media(part), "typed")]
            )
        found = [p for p in found if p.text.strip()]
        text = "\n".join(p.text for p in found)
        self.queue.heard(text)
        if OWN_MARKER in text:
            self.own = True
        injected = line.isMeta or line.promptSource == "system" or not _human(line.origin)
        if injected or (line.isSidechain and not self.mine):
            found = [p if p.role == "summary" else Piece("system", p.text) for p in found]
        self._pieces(number, line, found)

    def _pieces(self, number: int, line: Line, found: Iterable[Piece]) -> None:
        """Turns for the pieces of one user text; neighbours of one kind are one turn."""
        last: Piece | None = None
        for piece in found:
            limit = {"system": _SYSTEM_LIMIT, "summary": _SUMMARY_LIMIT}.get(piece.role)
            text = self.clip(piece.text, limit) if limit else piece.text
            if last and (last.role, last.origin) == (piece.role, piece.origin) and piece.role == "user":
                self.drafts[-1].texts[0] += "\n" + text
            else:
                origin = piece.origin
                if origin == "typed":
                    origin = self._came(line, text)
                    plan = line.planContent or ""
                    text = text if plan.strip() in text else f"{text}\n\n{plan}"
                self._add(number, line, piece.role, text, origin)
            last = piece

    def _came(self, line: Line, text: str) -> str:
        if line.planContent:
            return "plan"
        return "queued" if line.promptSource == "queued" or self.queue.waited(text) else "typed"

    # -- what was typed while the agent worked

    def _queued(self, number: int, line: Line) -> None:
        if self.claimed and self._is_claimed(line):
            return
        if line.operation == "enqueue":
            found = _typed(line.content)
            self.queue.enter(number, stamp(line.timestamp), found.text if found else "", found.origin if found else "")
        else:
            self.queue.leave(number, line.operation or "", flat(line.content))

    def _attachment(self, number: int, line: Line, attached: Attachment) -> None:
        if attached.type.startswith("hook_"):
            text = f"{attached.stdout or ''}{bytes(attached.content).decode('utf-8', 'replace')}"
            self.offered.update(dict.fromkeys(block.cut(text)[1]))
        if attached.type != "queued_command" or attached.commandMode == "task-notification":
            return
        found = _typed(attached.prompt)
        if found is None or not _human(attached.origin) or (line.isSidechain and not self.mine):
            return
        self.queue.heard(found.text)
        self._add(number, line, "user", found.text, "queued" if found.origin == "typed" else found.origin)

    def finish(self) -> list[Draft]:
        """Every turn, those too that only the queue knows."""
        for number, at, text, origin in self.queue.unheard():
            self.drafts.append(Draft(number, "user", at, text, "queued" if origin == "typed" else origin))
        return self.drafts

    def title(self) -> str:
        """The title that was given: by a person, by the agent, or by a summary of this very file; "" for none."""
        for kind in ("custom-title", "ai-title"):
            if self.titles.get(kind):
                return self.titles[kind]
        return next((text for leaf, text in reversed(self.summaries) if hash(leaf) in self.seen), "")


# -- pieces of records


def record_keys(kind: str, uuid: str | None, at: str | None, message: str | None) -> tuple[int, ...]:
    """What identifies a record across files: its uuid, and for re-minted uuids its kind, time and message.

    An id that is no UUID may be used twice by unrelated writers: it counts together with the time.
    """
    first = _digest(uuid) if uuid and len(uuid) == 36 else _digest(f"{uuid} {at} {kind}")
    if kind in ("user", "assistant") and at:
        return first, _digest(f"{kind} {at} {message}")
    return (first,)


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())


def flat(content: str | list[Block] | None) -> str:
    """The text of a content, its pictures and documents as marks."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = (b.text or "" if b.type == "text" else media(b) for b in content)
    return "\n".join(p for p in parts if p)


def media(part: Block) -> str:
    """What stands for a block that is not text: `[image image/png]`."""
    if part.type in ("image", "document"):
        kind = (part.source.media_type or part.source.type) if part.source else ""
        name = f" {part.title}" if part.title else ""
        return f"[{part.type}{' ' + kind if kind else ''}{name}]"
    if part.type == "tool_reference":
        return f"[tool {part.tool_name}]" if part.tool_name else ""
    return part.text or (flat(part.content) if part.content else "")


def answers(details: Any) -> str:
    """The agent's questions (`Q: `) with the person's answers (`A: `) and notes (`Note: `), "" when there are none."""
    given = details.get("answers") if isinstance(details, dict) else None
    if not isinstance(given, dict):
        return ""
    notes = details.get("annotations")
    out = []
    for question, answer in given.items():
        spoken = (
            answer if isinstance(answer, str) else ", ".join(map(str, answer if isinstance(answer, list) else [answer]))
        )
        note = notes.get(question) if isinstance(notes, dict) else None
        said = note.get("notes") if isinstance(note, dict) else None
        out.append(f"Q: {question}\nA: {spoken}" + (f"\nNote: {said}" if said and said != answer else ""))
    return "\n\n".join(out)


def _human(origin: Any) -> bool:
    return origin is None or origin.kind in (None, "", "human", "user")


def _loads_tools(part: Block) -> bool:
    """Whether a result only loads tools: the text beside it is the program's own."""
    return isinstance(part.content, list) and any(b.type == "tool_reference" for b in part.content)


def _typed(content: str | list[Block] | None) -> Piece | None:
    """What a person typed in a queued content, None when nothing of it is theirs."""
    if content is None:
        return None
    blocks = [Block("text", content)] if isinstance(content, str) else content
    found: list[Piece] = []
    for part in blocks:
        found += claude_text.pieces(part.text or "") if part.type == "text" else [Piece("user", media(part), "typed")]
    own = [p for p in found if p.role == "user"]
    if not own:
        return None
    origin = own[0].origin
    text = "\n".join(p.text for p in own)
    if origin == "typed" and text.startswith("/") and " " not in text.split("\n")[0][:40] and len(text) < 80:
        origin = "command"
    return Piece("user", text, origin)
