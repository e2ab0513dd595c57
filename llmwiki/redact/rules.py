"""The table of secrets: what they start with, what their names say, and what only looks like one.

Three kinds of rows. `PREFIXES` are vendors' tokens that say by their first letters what they are. `HINTED` are forms
that a short literal gives away. Everything else is told by the name that a value is given: the words below.
Imports nothing of ours.
"""

from __future__ import annotations

W = r"[\w-]"
HEX = r"[0-9a-fA-F]"

# prefix -> (rule, what follows the prefix). Longer prefixes are tried first.
PREFIXES: dict[str, tuple[str, str]] = {
    "sk-ant-": ("anthropic", W + "{16,}"),
    "sk-": ("openai", r"(?:[a-z]{2,10}[-_])?(?:v1-)?[\w-]{20,}"),
    "sess-": ("openai", "[A-Za-z0-9]{32,}"),
    "ghp_": ("github", "[A-Za-z0-9]{30,}"),
    "gho_": ("github", "[A-Za-z0-9]{30,}"),
    "ghu_": ("github", "[A-Za-z0-9]{30,}"),
    "ghs_": ("github", r"[\w.-]{30,}"),
    "ghr_": ("github", "[A-Za-z0-9]{30,}"),
    "github_pat_": ("github", r"\w{20,}"),
    "xox": ("slack", r"[a-z](?:\.xox[a-z])?-(?=[\w-]*\d)[\w-]{16,}"),
    "xapp-": ("slack", r"\d-[\w-]{16,}"),
    "sk_": ("stripe", r"(?:live|test|prod)_[A-Za-z0-9]{10,}|[a-f0-9]{40,}"),
    "rk_": ("stripe", r"(?:live|test|prod)_[A-Za-z0-9]{10,}"),
    "whsec_": ("stripe", r"[A-Za-z0-9+/=]{20,}"),
    "AIza": ("google", W + "{30,}"),
    "GOCSPX-": ("google", W + "{20,}"),
    "npm_": ("npm", "[A-Za-z0-9]{30,}"),
    "pypi-": ("pypi", W + "{16,}"),
    "hf_": ("huggingface", "[A-Za-z0-9]{30,}"),
    "api_org_": ("huggingface", "[A-Za-z0-9]{30,}"),
    "SK": ("twilio", HEX + "{32}(?![0-9A-Za-z])"),
    "key-": ("mailgun", "[0-9a-f]{32}"),
    "pubkey-": ("mailgun", "[0-9a-f]{32}"),
    "EAA": ("meta", r"(?<![+/]EAA)(?:[A-Za-z0-9]{40,}|[\w-]{58,})(?![+/])"),
    "sq0": ("square", r"[a-z]{3}-[\w-]{20,}"),
    "NR": ("new-relic", r"(?:AK|JS|II|IQ|RA|AL)-[A-Za-z0-9]{16,}"),
    "ATATT3": ("atlassian", r"[\w=-]{20,}"),
    "ATCTT3": ("atlassian", r"[\w=-]{20,}"),
    "ATBB": ("atlassian", r"[\w=-]{20,}"),
    "ATTA": ("trello", "[A-Za-z0-9]{60,}"),
    "dapi": ("databricks", r"[0-9a-f]{32}(?:-\d)?(?![0-9A-Za-z])"),
    "EZ": ("easypost", "(?<![+/]EZ)[AT]K[A-Za-z0-9]{50,}"),
    "oy2": ("nuget", "[a-z0-9]{43}(?![0-9A-Za-z])"),
    "LTAI": ("alibaba", "[A-Za-z0-9]{12,24}(?![0-9A-Za-z])"),
    "AGE-SECRET-KEY-": ("age", "[0-9A-Z]{40,}"),
    "AKCp": ("artifactory", "[A-Za-z0-9]{60,}"),
    "cmVmd": ("artifactory", "[A-Za-z0-9]{50,}"),
    "ops_eyJ": ("1password", r"[\w=-]{60,}"),
    "A3-": ("1password", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    "eyJrIjoi": ("grafana", r"[A-Za-z0-9+/=_-]{30,}"),
    "eyJ": ("jwt", r"[\w-]{8,}(?:\.[\w-]{8,}){1,4}={0,2}"),
    "ey": ("jwt", r"[\w-]{10,}\.eyJ[\w-]{8,}(?:\.[\w-]+)?"),
    "PMAK-": ("postman", "[0-9a-f]{20,}(?:-[0-9a-f]{20,})?"),
    "pat": ("airtable", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    "tk-us-": ("scalingo", W + "{30,}"),
    "CLOJARS_": ("clojars", "[0-9a-f]{40,}"),
    "AQVN": ("yandex", W + "{30,}"),
    "v1.0-": ("cloudflare", r"[0-9a-f]{24}-[0-9a-f]{100,}"),
    "HRKU-": ("heroku", W + "{30,}"),
    "ico-": ("infracost", r"[A-Za-z0-9]{32}(?![\w-]*\.?\w)"),
    "API-": ("octopus", r"(?<!/API-)[A-Z0-9]{25,}"),
    "access-": ("plaid", r"(?:sandbox|development|production)-[0-9a-f-]{36}"),
}
# Prefixes that end in a mark of their own and are followed by at least 20 of `[A-Za-z0-9_-]`: one row each.
for _rule, _prefixes in {
    "gitlab": "glpat- gldt- glptt- glrt- glft- glsoat- glimt- glagent- glcbt- glffct- GR1348941",
    "shopify": "shpat_ shpca_ shppa_ shpss_",
    "digitalocean": "dop_v1_ doo_v1_ dor_v1_",
    "grafana": "glc_ glsa_",
    "docker": "dckr_pat_ dckr_oat_",
    "linear": "lin_api_ lin_oauth_",
    "notion": "ntn_ secret_",
    "supabase": "sbp_ sb_secret_",
    "vercel": "vcp_ vck_ vca_ vci_",
    "netlify": "nfp_ nfc_ nfo_",
    "planetscale": "pscale_tkn_ pscale_pw_ pscale_oauth_",
    "sentry": "sntrys_ sntryu_",
    "sourcegraph": "sgp_",
    "aws": "ABSK",
    "llm-vendor": "gsk_ xai- pplx- nvapi- r8_ fw_ tgp_v1_ csk- pcsk_ tvly- jina_ e2b_ lsv2_pt_ lsv2_sk_ wandb_v1_",
    "vendor": "rubygems_ figd_ fio-u- dnkey- duffel_ CFPAT- pul- rdme_ shippo_ tfp_ fo1_ fm1r_ fm1a_ fm2_ bkua_ "
    "FLWSECK- FLWSECK_TEST- FLWPUBK_TEST- mdb_sa_sk_ pat-na1- pat-eu1- pnu_ rzp_live_ rzp_test_ xkeysib- xsmtpsib- "
    "sm_aat_ sm_pat_ sm_sat_ rnd_ napi_ phx_ phs_ nvp_ p8e- cio- tskey-auth- tskey-api- live_ ocp_ infisical_",
}.items():
    PREFIXES |= dict.fromkeys(_prefixes.split(), (_rule, W + "{20,}"))

# Prefixes that end in a mark no token holds: (rule, pattern up to that mark, what follows it).
MARKED: tuple[tuple[str, str, str], ...] = (
    ("sendgrid", r"SG\.", r"[\w=-]{16,}(?:\.[\w=-]{16,})?"),
    ("vault", r"hv[sbr]\.", W + "{20,}"),
    ("doppler", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{1,40}\.)?", "[A-Za-z0-9]{20,}"),
    ("google", r"ya29\.", W + "{20,}"),
    ("google", "1//", "0" + W + "{30,}"),
    ("yandex", r"t1\.", r"[\w-]{16,}={0,2}\.[\w-]{40,}={0,2}"),
    ("dropbox", r"sl\.", W + "{60,}"),
    ("openshift", "sha256~", W + "{40,}"),
    ("telegram", r"\d{8,10}:", r"AA[\w-]{30,40}"),
    ("terraform", r"[A-Za-z0-9]{14}\.atlasv1\.", r"[\w=-]{50,}"),
)

TAILS = "SG. hvs. hvb. hvr. ya29. 1// t1. sl. sha256~ .atlasv1. dp.pt. dp.ct. dp.sa. dp.st. dp.scim. dp.audit."

# AWS key ids have a fixed length; what stands near one is looked at for the secret half.
for _id in ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"):
    PREFIXES[_id] = ("aws", r"[A-Z0-9]{16,17}(?![A-Za-z0-9])")

# (rule, pattern whose group `secret` goes); each begins with the literal where it is tried.
HINTED: tuple[tuple[str, str], ...] = (
    (
        "curl-user",
        r"(?i:curl\b)[^\n|]{0,400}?\s(?:-u|--user|--proxy-user|-U)[ =]?\\*[\"']?"
        r"[^\s:\"'$<{\[]{1,80}:(?P<secret>[^\s\"'\\]{3,200})",
    ),
    ("sql-password", r"(?i:identified\s+by)\s+(?:password\s+)?\\*[\"'](?P<secret>[^\"'\\\n]{4,200})"),
    ("signature", r"sig=(?P<secret>(?=[\w%+/=-]{0,40}[0-9])[\w%+/=-]{20,400})"),
    ("pgpass", r":5432:[^:\s]{1,80}:[^:\s]{1,80}:(?P<secret>[^\s:\"']{4,200})"),
)
# The secret part of addresses that anybody may post to.
WEBHOOKS = (
    r"://hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>T[A-Za-z0-9]+/[A-Za-z0-9]+/\w{16,})",
    r"://(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{10,}/(?P<secret>[\w-]{40,})",
    r"://[\w.-]{0,80}webhook\.office\.com/webhookb2/(?P<secret>[\w@-]{30,}/\w+/[\w-]{20,}(?:/[\w-]+)?)",
)
# `-p` with a value is a password after these commands only.
PASSWORD_OPTION = (
    r"\s-p[ ]?\\*[\"']?(?P<secret>[^\s\"'\\$<-][^\s\"'\\]{4,200})",
    r"(?i:\b(?:mysql\w*|mariadb\w*|sshpass|mongo\w*|(?:docker|podman|az|helm[ ]registry)[ ]login|zip|7z)\b)[^\n|;&]*\Z",
)

# What a secret's name contains (lower case) -> the letters with which the word may go on, as `pass` in `password`.
# `_`, capitals and marks may always follow.
NAME_HINTS = {
    "key": "s",
    "token": "s",
    "secret": "s",
    "pass": "wpc",
    "pwd": "",
    "auth": "otk",
    "cred": "es",
    "signature": "",
}

PASSWORDS = tuple("password passwd pwd passphrase passcode passwort pass passwords pw".split())
SECRETS = tuple(
    "token tokens secret secrets credential credentials creds cred apikey apikeys "
    "auth authorization authkey secretkey accesskey privatekey accountkey authtoken".split()
)
KEYS = ("key", "keys")
# What makes a key a secret one, and what makes it a key of another kind.
SECRET_KEYS = frozenset(
    "api secret access private account auth encryption encrypt master license licence signing sign service deploy "
    "app application storage shared admin anon role sdk ingest ingestion server root subscription hmac aes jwt "
    "webhook ssh function integration consumer client write crypto cipher session security management connection "
    "billing x".split()
)
OTHER_KEYS = frozenset(
    "public pub primary foreign sort partition cache group hash object bucket index schema sequence unique dedupe "
    "idempotency lookup map dict config json row column composite natural store state query react hot locale "
    "label tag routing message translation valid field env shortcut parent child sorting ordering registry item "
    "entity event idx has get set is".split()
)
# A token that is a position, a count or a page mark, and names that hold no secret whatever else they say.
OTHER_TOKENS = frozenset(
    "public csrf xsrf next page continuation cancel cancellation end start eos bos pad unk sep mask max min total "
    "input output prompt completion cached reasoning sync cursor authenticity num count per budget context "
    "special stop csrftoken is has".split()
)
# Words after the secret's own that leave it a secret: `TOKEN_PROD`, `secretValue`, `SECRET_KEY_BASE`.
TRAILING = frozenset(
    "prod production dev development test testing staging stage live sandbox local value val base string str text "
    "new old current b plain main raw header default primary secondary v a x env var arg param input data".split()
)
SCHEMES = "bearer|basic|token|apikey|api-key|bot|digest|ssws|geniekey|splunk|oauth|key|client|private-token|pat"

# What a value says (lower case) when it is none: anywhere in it, and as a whole or at its ends.
FILLING = tuple("xxxx *** ... … •• ____ ---- ~~~ ### 00000000 11111111 < > ${ $( {{ [redacted".split())
STAND_INS = tuple(
    "your example changeme change-me change_me placeholder redacted insert replace foobar environ getenv process. "
    "secret. secrets. var. vars. config. settings.".split()
)
NO_VALUE = (
    r"%\w+%$|[@\[$]|todo|(?:none|null|nil|undefined|true|false)$|env[.:]|(?:https?|file|s3|gs)://|"
    r"(?:user|username|my|the|some|test|demo|sample|any|a|db|app|new|old|wrong|bad|invalid|valid|correct|admin|root|"
    r"postgres|mysql|secret|strong|super|pg)?[_\- ]?"
    r"(?:pass|password|passwd|pwd|token|secret|key|apikey|api[_-]key|auth|credentials?|string|value|test|user|"
    r"username|xxx|yyy|abc|foo|bar)?\d{0,3}[!.]?$"
)

# Pairs of letters that make up most of English and of identifiers made of words; random strings hold few of them.
BIGRAMS = frozenset(
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri "
    "ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut "
    "ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi "
    "ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke ui ey ck up ap ag ob od ef if lt da do og rm ue "
    "ov cl cr sp ug sc ba bo ke pp ck fa gi rc rd rl um eq qu va ys xt au ds fu ru tt ff af ip ub du lu bu cu cy "
    "by my ep ok nk ks ft nf ye tc ps ws".split()
)

# First parts of identifiers that look like tokens and open nothing: ids of messages, runs, objects, digests.
OPEN_IDS = frozenset(
    "toolu tooluse msg req call chatcmpl resp rs fc ws run thread asst file sha sha1 sha256 sha384 sha512 md5 "
    "agent commit cus evt pi ch in sub prod price acct cs seti si il ii prctn txn img image video user org proj "
    "project session sess task job build chunk vendors main index page step batch ft ftjob vs part item event "
    "trace span conv conversation workflow node blob tree ref rev layer digest container cid uid id uuid hash "
    "etag cache key tmp temp test rollout release version assistant upload download asset style module component "
    "css js bundle x0 ctr srvtoolu server cntr ses prt wf act dpl prj team icfg gid urn arn zone ami snap vol eni "
    "igw rtb acl pod rs deployment container replica pull pub pk phc mcp snapshot bash shell".split()
)
