"""How somebody writes who wants a program that reads, and not a person, to do something.

Precise rather than complete: records are full of rules that people gave their agents, and of what tools printed. Every
form below speaks past the person to the program. Each pattern is bounded, so that time grows with the text alone.
"""

from __future__ import annotations

import re
import unicodedata

INVISIBLE = re.compile("[\u115f\u1160\u180e\u200b\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\U000e0000-\U000e01ef]")
TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")

_AGENT = (
    r"(?:ai|llms?|(?:ai |coding |language |future |any |all ){0,3}(?:agents?|assistants?|models?)"
    r"|claude|codex|copilot|gpt|gemini)"
)
_USER = r"(?:the )?(?:user|human|operator|developer|owner|person|anyone|anybody)"
_OLD = r"(?:previous|prior|above|earlier|preceding|foregoing|former|existing|original|system|other)"
_RULES = (
    r"(?:instructions?|prompts?|rules|directions|directives?|guidelines|commands|messages|context|constraints"
    r"|safety \w+)"
)
_DO = r"(?:please|you|always|never|do|must|now|run|execute|send|delete|ignore|reply|print|call|install|download)"
_MARKS = "has the marks of a turn in a chat"

# What it does -> its forms, any of which will do.
FORMS: dict[str, tuple[str, ...]] = {
    "tells the reader to drop its instructions": (
        r"\b(?:ignore|disregard|forget|override|bypass|overrule)"
        rf"(?: all| any| every| each| of| the| your| my| these| those){{0,4}} (?:{_OLD} (?:\w+ )?{_RULES}"
        rf"|{_RULES} (?:above|before|so far|given|you (?:have|were|got)))",
        r"\b(?:ignore|disregard|forget) (?:everything|all|anything)"
        r"(?: that| you(?:'ve| have)?| was| were| been| is){0,3} (?:above|before this|said|told|so far)\b",
        r"\b(?:ignoriere|missachte|vergiss)\w*(?: \w+){0,2} (?:vorherigen|bisherigen|vorigen|obigen|früheren)"
        r"(?: \w+)? ?(?:anweisung|instruktion|regel|befehl)\w*",
        r"\b(?:ignore[zr]?|oublie[zr]?)(?: \w+)? les (?:instructions|consignes|règles) "
        r"(?:précédentes|antérieures|ci-dessus)",
        r"\b(?:ignora|olvida)[rd]?(?: todas)? las (?:instrucciones|reglas) (?:anteriores|previas)",
        r"\b(?:ignore|esqueça)(?: todas)? as (?:instruções|regras) (?:anteriores|prévias)",
        r"\b(?:ignora|dimentica)(?: tutte)? le (?:istruzioni|regole) precedenti",
        r"(?:игнорируй|забудь)\w*(?: все)? (?:предыдущие|прошлые|прежние) (?:инструкции|указания|правила)",
        r"(?:忽略|无视|無視|忘记)掉?(?:所有|全部|一切)?(?:之前|以上|先前|前面|此前|上述)的?(?:所有|全部)?"
        r"(?:指令|指示|提示|规则|命令|说明)",
        r"(?:以前|これまで|上記|前)の(?:すべての)?(?:指示|命令|ルール)を?(?:すべて)?(?:無視|忘れ)",
        r"(?:이전|위의?|앞선)(?:의)? ?(?:모든 )?(?:지시|명령|지침)\S{0,3} ?(?:모두 )?(?:무시|잊)",
    ),
    "gives the reader new instructions": (
        r"\b(?:new|updated|revised|real|actual|secret|hidden) (?:system )?"
        r"(?:instructions?|prompt|directives?|orders)\s?[:：]",
        r"\byou are (?:now|no longer) (?:an? (?!\w+ed\b)\w+|in (?:\w+ )?mode|bound|restricted|limited|dan\b)",
        r"\byou must (?:now|immediately|instead|first and foremost) \w+",
        r"\bfrom now on,? you (?:are|will|must|shall|act)\b",
        r"\b(?:enable|enter|activate|switch to) (?:developer|god|dan|jailbreak|unrestricted|admin) mode\b",
    ),
    "speaks to an agent": (
        r"(?:^|[.!?:] ?|[-*] |\b(?:attention|note|notice|message|instructions?|important|warning|hey|hello|dear),? "
        rf"(?:to|for)?:? ?(?:the |any |all |every )?){_AGENT}"
        rf"(?: (?:reading|processing|that (?:reads?|sees?)) this)?[,:!] ?{_DO} ",
        rf"\b(?:if|when) you are an? {_AGENT}\b",
        rf"\b(?:as|being) an? {_AGENT},? you (?:must|should|will|shall|need|have)\b",
        rf"\b(?:any|every) {_AGENT} (?:reading|that reads|who reads|processing) this (?:\w+ )?"
        r"(?:must|should|shall|will|has to|needs to)\b",
    ),
    "wants something kept from the user": (
        r"\b(?:do not|don'?t|never|must not|without) (?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?"
        r"|(?:mention|reveal|show)(?:ing)? (?:this|it|that) to|ask(?:ing)? permission (?:of|from)) "
        rf"{_USER}\b(?! (?:to|which|what|how|that (?:they|the))\b)",
        r"\b(?:hide|conceal|keep) (?:this|it|that) (?:secret )?from (?:the )?(?:user|human|operator)\b",
    ),
    "sends secrets away": (
        r"\b(?:send|post|upload|exfiltrate|forward|e-?mail|transmit|leak|copy)\b.{0,60}?(?<!\w)(?:credentials?|secrets?"
        r"|passwords?|api[ _-]?keys?|private keys?|ssh keys?|access tokens?|\.env|environment variables|\.ssh"
        r"|conversation|system prompt)\b.{0,60}?(?:https?://|\b[\w.+-]{1,60}@[\w-]{1,60}\.\w)",
        r"\b(?:print|reveal|repeat|output|show|leak|dump)(?: me)? (?:your|the) (?:full |entire |whole |hidden ){0,2}"
        r"(?:system|developer) (?:prompt|message|instructions?)\b",
    ),
    _MARKS: (
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|?>|\[/?INST\]|<</?SYS>>",
        r"</?(?:system|system-reminder|developer|antml:\w+|function_calls|function_results|llmwiki-memory)\b"
        r"[^>\n]{0,200}>",
        r"^#{1,6} ?(?:system|developer) ?(?:prompt|message|instructions?)?\s?:?\s?$",
    ),
}
# A person says such things to an agent or about a program: in their own words they are ordinary.
FROM_A_PERSON = ("gives the reader new instructions", "speaks to an agent", "wants something kept from the user")
_PATTERNS = {name: re.compile("|".join(f"(?:{form})" for form in forms), re.I | re.M) for name, forms in FORMS.items()}
_ESCAPE = re.compile(r"\\(?=[^\w\s])")
_EMPHASIS = re.compile(r"[*_`]+")


def orders(text: str, by_person: bool = False) -> list[str]:
    """What a text does that reads like instructions to an agent; [] for an ordinary one.

    Invisible characters, escapes, emphasis and look-alike forms hide nothing. `by_person`: these are a person's words
    to an agent, in which only what nobody says by themselves counts.
    """
    words = text
    if not text.isascii():
        words = unicodedata.normalize("NFKC", TURNING.sub("", INVISIBLE.sub("", text)))
    words = _ESCAPE.sub("", words)
    spoken = " ".join(_EMPHASIS.sub("", words).split())
    asked = [name for name in FORMS if not (by_person and name in FROM_A_PERSON)]
    return [name for name in asked if _PATTERNS[name].search(words if name == _MARKS else spoken)]
