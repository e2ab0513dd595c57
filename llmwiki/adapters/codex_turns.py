"""Lines of a Codex rollout, one after the other, folded into turns.

Most things are told twice, as an item and as an event. Prompts are taken from the events where there are any, the rest
from the items where there are any; which of the two it is, only the end of the file tells.
"""

from __future__ import annotations

from collections import Counter

from llmwiki import block
from llmwiki.adapters import arguments, codex_text
from llmwiki.adapters.base import ARGUMENT_LIMIT, OWN_MARKER, Clipper, Draft, Find, stamp
from llmwiki.adapters.codex_records import EVENTS, ITEMS, TYPES, Line, Payload

_SYSTEM_LIMIT = 3_000
_SUMMARY_LIMIT = 12_000
_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "web_search_call", "image_generation_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")


class Fold:
    """What the lines of one rollout have told so far. `thread` is the id in the file's name, "" when it has none."""

    def __init__(self, thread: str, unknown: Counter[str], find: Find | None = None) -> None:
        self.thread, self.unknown = thread, unknown
        self.meta: Payload | None = None
        self.matched = False
        self.drafts: list[Draft] = []
        self.events: set[str] = set()
        self.items: set[str] = set()
        self.calls: dict[str, Draft] = {}
        self.asked: dict[str, object] = {}
        self.thinking: Draft | None = None
        self.clip = Clipper(find)
        self.models: dict[str, None] = {}
        self.cwds: dict[str, None] = {}
        self.children: dict[str, None] = {}
        self.offered: dict[str, None] = {}
        self.started = self.ended = self.opened = self.title = ""
        self.count = 0
        self.own = self.timed = self.stream = False

    def feed(self, number: int, line: Line) -> None:
        """Takes one line into account."""
        self.count += 1
        if line.record_type is not None and not line.type:
            return
        if line.type not in TYPES or line.payload is None:
            self.unknown[line.type or "(no type)"] += 1
            self.stream = self.stream or line.session_id is not None
            return
        payload, at = line.payload, stamp(line.timestamp)
        if at and line.type != "session_meta":
            self.started, self.ended = min(self.started or at, at), max(self.ended, at)
        match line.type:
            case "session_meta":
                self._meta(payload, line.timestamp)
            case "turn_context":
                self._context(payload)
            case "response_item":
                self._item(number, at, payload)
            case "event_msg":
                self._event(number, at, payload)
            case "compacted" if payload.message:
                self._add(number, at, "summary", self.clip(payload.message, _SUMMARY_LIMIT))

    def _add(self, number: int, at: str, role: str, text: str, origin: str = "", key: str = "") -> Draft:
        if role in ("user", "tool", "summary"):
            self._flush()
        draft = Draft(number, role, at, text, origin)
        draft.key = key
        self.drafts.append(draft)
        return draft

    # -- what the session is

    def _meta(self, payload: Payload, at: str | None) -> None:
        """The first header whose id is the file's; others are a parent's, or of a resumption."""
        fits = bool(self.thread) and payload.id == self.thread
        if self.meta is None or (fits and not self.matched):
            self.meta, self.matched = payload, fits
            self.opened = stamp(payload.timestamp) or stamp(at)
            if payload.cwd:
                self.cwds = {payload.cwd: None}

    def _context(self, payload: Payload) -> None:
        if payload.model:
            self.models[payload.model] = None
        if payload.cwd:
            self.cwds[payload.cwd] = None

    # -- items

    def _item(self, number: int, at: str, payload: Payload) -> None:
        kind = payload.type
        if kind == "message":
            self._message(number, at, payload)
        elif kind == "reasoning":
            self._think(number, at, codex_text.flat(payload.summary), "item")
        elif kind in _CALLS:
            self._call(number, at, payload)
        elif kind in _OUTPUTS:
            self._output(number, at, payload)
        elif kind not in ITEMS:
            self.unknown[f"response_item/{kind}"] += 1

    def _message(self, number: int, at: str, payload: Payload) -> None:
        text = codex_text.flat(payload.content)
        if payload.role == "assistant":
            if text.strip():
                self.items.add("assistant")
                self._say(number, at, text, "item")
            return
        self.offered.update(dict.fromkeys(block.cut(text)[1]))
        if payload.role != "user":
            return
        if folder := codex_text.working_folder(text):
            self.cwds[folder] = None
        if typed := codex_text.prompt(text):
            self.items.add("user")
            self._prompt(number, at, typed, "item")

    def _prompt(self, number: int, at: str, text: str, key: str) -> None:
        self.own = self.own or OWN_MARKER in text
        self._add(number, at, "user", text, "typed", key)

    def _say(self, number: int, at: str, text: str, key: str) -> None:
        draft = self._add(number, at, "assistant", text.strip("\n"), key=key)
        if self.thinking is not None and key == "item":
            draft.thinking = self.thinking.thinking
            self.thinking = None

    def _think(self, number: int, at: str, text: str, key: str) -> None:
        """Reasoning waits for the message that it leads to; a call that comes first makes it a turn of its own."""
        if not text.strip():
            return
        if key == "item" and "reasoning" not in self.items:
            self.items.add("reasoning")
            self.thinking = None
            self.drafts = [d for d in self.drafts if d.key != "reasoned"]
        elif key == "event" and "reasoning" in self.items:
            return
        if self.thinking is None:
            self.thinking = Draft(number, "assistant", at)
            self.thinking.key = "reasoned" if key == "event" else ""
        self.thinking.thinking.append(text.strip())

    def _flush(self) -> None:
        if self.thinking is not None:
            self.drafts.append(self.thinking)
            self.thinking = None

    # -- tools

    def _call(self, number: int, at: str, payload: Payload) -> None:
        name, given = codex_text.called(payload, self.cwds)
        draft = self._add(number, at, "tool", self.clip(given, ARGUMENT_LIMIT))
        draft.tool = name
        if payload.type in ("web_search_call", "image_generation_call"):
            draft.outcome = "error" if payload.status == "failed" else "ok"
            draft.result = "[image]" if payload.type == "image_generation_call" else ""
        if payload.call_id:
            self.calls[payload.call_id] = draft
            if name.endswith("request_user_input"):
                value = arguments.decoded(payload.arguments)
                text = value.encode("utf-8", "replace") if isinstance(value, str) else b"null"
                self.asked[payload.call_id] = arguments.decoded(text)

    def _output(self, number: int, at: str, payload: Payload) -> None:
        call = self.calls.get(payload.call_id or "")
        if call is None:
            call = self._add(number, at, "tool", "")
            call.tool = "unknown"
            self.calls[payload.call_id or ""] = call
        text, code = codex_text.returned(payload.output)
        if codex_text.rejected(text):
            call.outcome, call.result = "refused", self.clip(text)
            self._add(number, at, "user", "", "refusal")
            return
        if call.outcome in ("lost", "ok"):
            call.outcome = arguments.outcome(text.startswith(("apply_patch verification failed", "failed to")), code)
        call.result = self.clip(text.replace("\r\n", "\n"))
        if payload.call_id in self.asked:
            if said := codex_text.answered(self.asked.pop(payload.call_id or ""), payload.output):
                self._add(number, at, "user", said, "answer")
        elif call.tool.endswith("spawn_agent"):
            told = arguments.decoded(text.encode("utf-8", "replace"))
            if isinstance(told, dict) and isinstance(child := told.get("agent_id"), str):
                self.children[child] = None

    # -- events

    def _event(self, number: int, at: str, payload: Payload) -> None:
        match payload.type:
            case "user_message":
                self._user_message(number, at, payload)
            case "agent_message" if payload.message:
                self._say(number, at, payload.message, "event")
            case "agent_reasoning" if payload.text:
                self._think(number, at, payload.text, "event")
            case "turn_aborted" if payload.reason in (None, "interrupted"):
                self._add(number, at, "user", "[Turn interrupted by user]", "interrupt")
            case "thread_rolled_back":
                self._roll_back(payload.num_turns or 0)
            case "entered_review_mode":
                hint = f"/review {payload.user_facing_hint or ''}".strip()
                self._add(number, at, "user", hint, "command")
            case "exec_command_end" | "patch_apply_end" | "mcp_tool_call_end":
                call = self.calls.get(payload.call_id or "")
                if call is not None and payload.exit_code and call.outcome in ("lost", "ok"):
                    call.outcome = arguments.outcome(True, payload.exit_code)
            case "thread_name_updated" if payload.thread_name:
                self.title = payload.thread_name
            case kind if kind not in EVENTS:
                self.unknown[f"event_msg/{kind}"] += 1

    def _user_message(self, number: int, at: str, payload: Payload) -> None:
        if payload.kind not in (None, "", "plain"):
            return
        pictures = len(payload.images or ()) + len(payload.local_images or ())
        text = codex_text.prompt(payload.message or "")
        if pictures:
            text = "\n".join([*([text] if text else []), *["[image]"] * pictures])
        if text:
            self.events.add("user")
            self._prompt(number, at, text, "event")

    def _roll_back(self, count: int) -> None:
        """Withdraws the last user turns with all that followed them."""
        self._flush()
        key = "event" if "user" in self.events else "item"
        asked = [i for i, d in enumerate(self.drafts) if d.role == "user" and d.key == key]
        if count > 0 and asked:
            first = self.drafts[asked[-min(count, len(asked))]].number
            at = asked[-min(count, len(asked))]
            # The item that tells the same prompt stands just before or after its event.
            while at and self.drafts[at - 1].role == "user" and self.drafts[at - 1].key == "item" and key == "event":
                at -= 1
            del self.drafts[at:]
            self.calls = {k: d for k, d in self.calls.items() if d.number < first}

    def finish(self) -> list[Draft]:
        """Every turn once: events' prompts where there are any, items' replies where there are any."""
        self._flush()
        unwanted = "item" if "user" in self.events else "event"
        self.drafts = [d for d in self.drafts if not (d.role == "user" and d.key == unwanted)]
        if "assistant" in self.items:
            self.drafts = [d for d in self.drafts if not (d.role == "assistant" and d.key == "event")]
        return self.drafts
