"""How people say things to an agent, in the languages that sessions are held in: rules, refusals, thanks, assent.

Every table is data: to add a language, add its forms. Chinese and Japanese match inside words.
"""

from __future__ import annotations

import re


def _any(*forms: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{form})" for form in forms), re.I)


# What makes a sentence a rule, and how much each mark counts. A sentence needs two points (see `preferences`).
MARKS: tuple[tuple[str, int, re.Pattern[str]], ...] = (
    (
        "standing",
        3,
        _any(
            r"(?:^|[,.;:–—-] ?|\b(?:should|must|please|and|but|to|we|can|will|'ll|so|just|"
            r"shall)\b ?)(?:always|never) "
            r"(?!\w+ed\b|mind\b|have (?:been|\w+ed)\b)[\w`]+|\bI (?:always|never) (?:want|need|use|like|prefer|"
            r"expect)\b|"
            r"\b(?:always|ever)[.!]*$|\b(?:for|in|on|with|at|to) [\w ]{2,30}? (?:always|never) (?!\w+(?:ed|s)\b)\w+",
            r"\b(?:ask|check with|tell) (?:me|us) (?:first|before)\b|\b(?:frag\w*|sag\w*) (?:mich|mir|uns),? "
            r"(?:vorher|bevor|"
            r"zuerst|erst)\b|\bpreg[uú]nta(?:me|nos)? (?:antes|primero)\b|\bdemande[rz]?[- ](?:moi|nous) (?:avant|"
            r"d'abord)\b|"
            r"\bспроси(?:те)? (?:меня |нас )?(?:сначала|перед)|先(?:来)?(?:问|告诉|通知)(?:一下)?我|先(?:跟|和|"
            r"向)我(?:说|确认)|"
            r"先に(?:聞いて|確認して)|먼저 (?:물어|확인)",
            r"\b(?:from now on|going forward|every time (?:you|we|I)|under no circumstances|as a rule|in "
            r"future|for future|whenever (?:you|we))\b",
            r"\b(?:immer|niemals|nie|ab jetzt|ab sofort|künftig|in zukunft|grundsätzlich)\b",
            r"\b(?:toujours|jamais|désormais|à partir de maintenant|dorénavant|siempre|nunca|jamás|a "
            r"partir de ahora|de ahora en adelante)\b",
            r"\b(?:sempre|d'ora in poi|mai più|daqui em diante|a partir de agora)\b|\b(?:всегда|никогда|впредь)\b",
            r"总是|永远|从不|从现在|以后(?:请|不|[^，。,.?？]{0,12}(?:都|必须))|今后|一律|每次都|必ず|常に|今後(?:は)?|決して|毎回|항상|절대|앞으로",
        ),
    ),
    (
        "prohibition",
        2,
        _any(
            r"(?:^|[,.;:!–—-] ?|\b(?:please|and|but|so|just|again|also|no|ok(?:ay)?)\b,? )(?:do not|don'?t|"
            r"dont|stop|avoid|quit|refrain from) (?!worry|disturb\b|remember\b|recall\b|know|think|forget|mind|"
            r"understand|hesitate|be "
            r"sorry)\w+",
            r"\b(?:i|we) (?:do not|don'?t|dont|never) (?:want|like|need|use|allow|accept)\b|\b(?:we|they|"
            r"it|there)(?:'re| are|'s| is) not (?:\w+ing|allowed|acceptable|supported|to be)\b",
            r"(?:^|[.;:!–—] ?|\b(?:please|pls|and|but|so|also)\b,? )no (?:more )?"
            r"(?!(?:problems?|worries|idea|need|one|longer|it|its|that|this|these|those|i|we|you|he|they|not|"
            r"thanks?|the|"
            r"there|way|luck|matter|wonder|doubt|clue|changes?|difference|errors?|such|matching|files?|output|module|"
            r"results?|rush|hurry|big|is|are|was|use|using|keep|dont|just|nada|no|a|an|other|effect|"
            r"like)\b)(?!.*\b(?:el|la|los|las|en|que|está|sigue|sin|por|para|não|il|che|un|una|se)\b)"
            r"(?!.*\b(?:nothing|though|yet|found|anymore|shown|appear\w*|showing|visible|available)\b)[\w@`./+-]{3,}",
            r"\b(?:must|should|may|can) ?n(?:o|')t be\b|\b(?:mustn't|must not|should not|shouldn't)\b|\bno "
            r"need (?:to|for)\b",
            r"^(?!(?:(?:aber|und|nein|ja|ok)\b,? )?(?:es|das|dies\w*|hier|da|er|sie|man|warum|wieso|weshalb|was|wer|"
            r"wie|ich (?!will|möchte|brauche|bevorzuge|mag|erwarte))\b).*\b(?:nicht|kein(?:e|en|em|er)?) \w+|"
            r"\b(?:hör auf|vermeide|lass das|auf keinen fall|ohne zu)\b",
            r"(?:^|[,.;:!–—] ?|\b(?:et|mais|surtout|donc|alors|stp|svp|merci de) |\b(?=ne faut )|\b(?=ne doi[ts] "
            r"))(?:ne |n['’])\w+ "
            r"(?:pas|plus|"
            r"jamais)\b|\b(?:on|nous|vous|je) (?:ne |n['’])(?!peu[tx]|pouv|sai[ts]|sav|voi[ts]|voy|compren|trouv|"
            r"vien|ai\b|a\b|"
            r"est\b|suis\b)\w+ (?:pas|plus|jamais)\b|\b(?:évite[zr]?|arrête[zr]?) \w+|\bsans \w+(?:er|ir|re)\b",
            r"\b(?:nada de|niente|basta con) \w+|(?:^|[,;:!] ?|\b(?:surtout|et|mais) )pas d(?:e |['’])\S+|"
            r"\bnessun\w* \w+ (?:in|per)\b",
            r"\bno (?:uses?|hagas?|ejecutes?|toques?|cambies?|quiero|debes?|se debe)\b|\b(?:evita|deja de) \w+|"
            r"\bsin \w+(?:ar|er|ir)\b|"
            r"\bn[ãa]o (?:us[ae]|fa(?:ça|z)|quero|mex[ae]|toc(?:a|ar|que)|par[ae]|apag(?:a|ue)|rod[ae]|mud[ae])\b|"
            r"\bnon (?:usare|fare|voglio)\b",
            r"\bне (?:надо|нужно)\b|\bне \w+(?:й|йте|ите|уй|ай|ей)\b",
            r"\b(?:is|are|gets?) never \w+(?:ed|en|t)\b|\b\w+s never (?!\w+ed\b|\w+s\b)\w+",
            r"\byou only \w+|\b(?:leave|let) (?:the |it )?(?:\w+ )?to me\b|\bI(?:'ll| will)? \w+ (?:it |"
            r"that |them )?myself\b",
            r"不要|别(?:再|用|把|去|动)|勿|禁止|不能|不得|不应|不该|不可以|没有?必要|不需要|不用(?!户)"
            r"|ないで(?!す|ある|いる|おく)|なし(?:で)?(?:[。!！]|$)|しないこと|使わない|やめて|いらない|不要|지 ?마|"
            r"하지 ?말|쓰지",
        ),
    ),
    (
        "contrast",
        2,
        _any(
            r"\binstead\b|\brather than\b|\bin place of\b|\bnot\b[^.;!?]{2,60}\bbut (?!also)|, not (?!sure|"
            r"yet|only|to mention|that|really|much|always)(?:the |a |an |via |with |in |by |from |through "
            r")?[`'\"\w]|\bprefer(?:red|ably)?\b[^.;]{0,60}\b(?:over|to)\b|\bbut not\b",
            r"\b(?:statt(?:dessen)?|anstatt|anstelle|sondern|lieber|vorzugsweise|plutôt|au lieu|à la place|"
            r"en vez de|en lugar de|mejor que|invece di|em vez de)\b|\b(?:вместо|лучше)\b",
            r"而不是|而非|改用|改成|换成|代替|替代|代わり|ではなく|じゃなく|대신|말고",
            # In which language something is written, though others are spoken.
            r"\b(?:commits?|messages?|comments?|code|docs?|answers?|repl(?:y|ies)|texts?|strings|names?|columns?|"
            r"branch(?:es)?|tickets?|prs?|issues?|commentaires|mensajes|nombres|columnas|textos?|kommentare|"
            r"\w*(?:nachrichten|namen)|spalten|antworte|réponds|parle)\b.{0,40}\b(?:in|en|auf)? ?(?:english|anglais|"
            r"englisch|inglés|german|deutsch|allemand|alemán|french|français|spanish|español|chinese|japanese|lowercase|"
            r"present tense)\b(?! (?:team|users?|colleague))|\ben (?:français|español|anglais) (?:stp|svp|por favor)|"
            r"(?:メッセージ|コメント|コード|返事)は(?:英語|日本語)|用(?:中文|英文)",
        ),
    ),
    (
        "obligation",
        1,
        _any(
            r"\b(?:must|shall|should|ought to|ha(?:ve|s) to|needs? to|required|make sure|ensure|be sure|"
            r"remember to|mandatory)\b",
            r"\b(?:muss|müssen|soll(?:te|ten|en|st)?|achte darauf|stell sicher|denk daran|il faut|doit|"
            r"doivent|devez|devrait|assure[- ]|veille[rz]? à)\b",
            r"\b(?:debe(?:s|n|mos|ría)?|hay que|tiene(?:s|n)? que|asegúrate|deve(?:m)?|precisa|bisogna|"
            r"devi)\b|\b(?:должн[аоы]?|нужно|надо|обязательно)\b",
            r"应该|应当|必须|一定要|需要(?!我)|务必|确保|得(?:先|用)|请(?:用|使用|先|把)"
            r"|べき|なければ|ように(?:して|する)|してください|해야|하세요|해 ?주세요",
        ),
    ),
    (
        "decision",
        1,
        _any(
            r"\b(?:let'?s|lets|we'?ll|we will) (?:also |just |please |all )?(?:use|keep|stick|go with|go "
            r"for|do|make|not|avoid|switch|move|have|call|rename|drop|skip|leave|migrate|put|store|name|"
            r"stay|target|support|only)\b",
            r"(?:^|[,.;:!] ?|\b(?:please|just|and|so|then|also|ok(?:ay)?|(?<!for me )(?<!how )to) )(?:use|using|keep|"
            r"prefer|stick (?:to|with)|leave|go with|switch to|put|place|call it|name it|follow|respect)\b",
            r"\b(?:van?|se (?:ponen?|guardan?|usan?|escriben?)|queremos|ponlo|pon) (?:en|con|siempre)\b|"
            r"\bgehör(?:t|en) (?:in|nach)\b|"
            r"\bkomm(?:t|en) (?:in|nach) \S+[/.]|\bvont? dans\b|\bva dans\b|\bbelongs? (?:in|to|under)\b|"
            r"\bgo(?:es)? (?:in|into|under) \S+[/.`]",
            r"\bwe(?:'re| are)? (?:use|using|go with|go for|going with|going for|prefer|only|host|deploy|keep|name|"
            r"call|prefix|suffix|pin|squash|tag|"
            r"format|"
            r"indent|inject|sort|version|vendor)\b(?! (?:it|this|that|them) (?:now|then|later|when|after))|"
            r"\b(?:I(?:'d| would)?|and "
            r"would) (?:also |really )?(?:prefer|want|like|rather|expect|insist)\b|\bmy (?:convention|"
            r"preference|rule)\b",
            r"\b(?:verwende|nutze?|benutze?|nimm|behalte|wir (?:nutzen|verwenden|benutzen|wollen)|ich "
            r"(?:will|möchte|bevorzuge)|bitte)\b",
            r"\b(?:utilise[rz]?|garde[rz]?|préfère|on utilise|nous utilisons|je (?:veux|préfère|voudrais)|"
            r"usa|utiliza|usamos|prefiero|quiero|mantén|usiamo|preferisco|prefiro)\b|\b(?:используй|мы "
            r"используем|хочу)\w*",
            r"统一|直接(?:放|用|写)|我们(?:用|使用|采用)|我(?:想|希望|要|更喜欢)|采用|使用|保持|保留|放在|去除|去掉|删掉|用(?=[A-Za-z`])|使って|使う|"
            r"にして|したい|統一|써|사용",
        ),
    ),
    (
        "suggestion",
        2,
        _any(
            r"\b(?:do you think |maybe |perhaps |what if |or )?(?:we|you) (?:could|might want to|should "
            r"rather) \w+|\b(?:maybe|perhaps) we (?:should|can|need)\b|\b(?:could|should|can) "
            r"we\b[^?]*\b(?:instead|rather)\b|\bwould(?:n't)? (?:it )?be (?:better|nicer|cleaner)\b",
            r"\b(?:vielleicht (?:sollten|könnten) wir|wir könnten|on pourrait|peut-être (?:qu'on|que nous)|"
            r"podríamos|quizás? (?:deberíamos|podamos)|potremmo|poderíamos|может,? (?:стоит|лучше))\b",
            r"是不是(?:应该|可以)|能不能(?:改|用)|不如|要不|の方がいい|したらどう|하는 게 (?:낫|좋)",
        ),
    ),
    (
        "order",
        2,
        _any(
            r"\bfirst\b.{3,160}\b(?:then|before|afterwards)\b|\bbefore (?:you |we |each |every |any )?(?:\w+ing|commit|"
            r"push|start|merge|deploy)\b.{3,}|^when(?:ever)? you \w+ [^,]{3,60}, (?:(?:also|then|please|always) "
            r")?(?:add|run|use|"
            r"update|write|put|set|check|tell|ask|do|don'?t)\b",
            r"\bzuerst\b.{3,120}\bdann\b|\bd'abord\b.{3,120}\b(?:puis|ensuite)\b|"
            r"\bprimero\b.{3,120}\b(?:luego|después)\b|\bprima\b.{3,120}\bpoi\b|"
            r"\bсначала\b.{3,120}\b(?:потом|затем)\b",
            r"先.{2,60}(?:再|然后|之后)|まず.{2,60}(?:次に|それから|から)|먼저.{2,60}(?:다음|그리고)",
        ),
    ),
    (
        "reversal",
        2,
        _any(
            r"\bchanged my mind\b|\bI meant\b|\bnot what I (?:meant|asked|wanted)\b|\bon second thought\b|"
            r"\b(?:meinung geändert|ich meinte|changé d'avis|je voulais dire|cambié de (?:idea|opinión)|"
            r"quise decir|cambiato idea|передумал)\w*",
            r"改主意|我的意思是|考えが変わ|という意味|생각이 바뀌",
        ),
    ),
    (
        "narrowing",
        1,
        _any(
            r"\b(?:just|only|at most|at least|no more than|exactly|everything|all of (?:the|them)|each|"
            r"every|any|whole|nothing but)\b",
            r"\b(?:nur|bloß|höchstens|mindestens|seulement|uniquement|juste|sólo|solo|solamente|únicamente|"
            r"soltanto|apenas|somente)\b|\bтолько\b",
            r"只(?:能|要|用|有|需|接受|保留)|仅|全部|所有|每个|だけ|のみ|すべて|만\b",
        ),
    ),
    (
        "correction",
        1,
        _any(
            r"^(?:no|nope|nah|wait|hold on|actually|hmm|ugh|fgs|wrong)\b|\bthat'?s (?:not|wrong)\b|"
            r"\b(?:annoying|wrong|unacceptable|not acceptable|confusing)\b|\bI (?:said|told you|asked)\b",
            r"^(?:nein|halt|moment|eigentlich|non|attends|en fait|no,|espera|en realidad|não|aspetta|нет|"
            r"стоп)\b|\b(?:falsch|faux|incorrecto|mal|sbagliato|неправильно)\b",
            r"^(?:不|不对|不是|等(?:等|下|一下))|错了|其实|实际上|不一致|搞错|違う|違います|待って|実は|아니|틀렸|사실",
        ),
    ),
    (
        "condition",
        1,
        _any(
            r"\b(?:if|when|whenever|unless|until|before|after|once|while|in case)\b",
            r"\b(?:wenn|falls|sobald|bevor|nachdem|si|quand|lorsque|avant|après|cuando|antes|después|"
            r"quando|se|если|когда)\b",
            r"如果|的时候|之前|之后|时(?:候)?，|一旦|場合|とき|たら|前に|後に|(?:으)?면|때",
        ),
    ),
)

# A request for a piece of work: what the session is about, not how things are done here.
REQUEST = _any(
    r"^(?:(?:hi|hello|hey|ok(?:ay)?|so|now|next|great|thanks|please|and|also|then|oh|well)\b[ "
    r",.!]*)*(?:(?:can|could|would|will) you|help me|i need you to|i'?d like you to|your task)\b",
    r"^(?:(?:please|ok(?:ay)?|now|next|and|then|let'?s|lets|so|also|great|thanks|first)\b[ ,.!]*)*(?:add|"
    r"fix|write|create|implement|update|check|look|have a look|explain|tell|show|give|run|test|review|"
    r"analy[sz]e|find|search|read|open|continue|proceed|try|debug|investigate|summari[sz]e|describe|"
    r"generate|build|refactor|examine|do it|go ahead|commit|push|merge|see|start|propose|help)\b",
    r"^(?:kannst du|könntest du|bitte (?:schreib|erstell|prüf|füg|mach|zeig)|schreib|erstelle|peux-tu|"
    r"pouvez-vous|ajoute|crée|puedes|podrías|añade|crea|arregla|puoi|aggiungi|pode|сделай|добавь|напиши|"
    r"можешь)\b",
    r"^(?:请|你)?(?:帮我|帮忙|给我)|^(?:检查|分析|写(?:一|个)|添加|增加|修复|看(?:一下|看)|继续|开始|解释|生成|教えて|作って|追加して|修正して|見て|書いて|추가해|만들어|고쳐)",
    r"(?:作成|生成|追加|修正|表示|出力|実装|確認)して(?:ください|下さい)?[。!！]?$",
)
FEATURE = _any(  # a part of the product that is to be made, said as a rule
    r"^(?:(?:also|and|so|then|ok|next|new feature)\b[ ,:]*)*(?:we|it|the \w+) (?:should|needs? to|must|could|want to) "
    r"(?:also |then |now )?(?:support|add|implement|show|display|have|offer|include|handle|build|create|allow)\b"
)
SHAPED = _any(  # how this piece of work shall look
    r"^\W*(?:(?:and|also|then|ok|now|please)\b[ ,]*)*(?:put the|return|render|print|show|log|sort|align|"
    r"color|label|wrap|"
    r"make (?:it|the))\b"
)
QUESTION = _any(
    r"^(?:so |but |and )?(?:why|how come|what for)\b",
    r"[?？]\s*[)\"'”’]*\s*$",
    r"^(?:what|why|how|which|who|where|when|is|are|does|do you|did|was|were|has|have you|am i)\b[^.!]*$",
    r"(?:吗|呢|么|哪些|为什么|什么|どう|なぜ|ですか|ますか)\s*[?？。]?\s*$|(?:看看|看一下|查查|查一下)?(?:为什么|怎么回事)",
)
QUOTING = _any(
    r"\b(?:he|she|they|someone|somebody|reviewer|docs?|documentation|readme|article|post|bot|boss|customer|"
    r"client|colleague)s? (?:said|says?|wrote|writes|told|claims?|suggests?|recommends?|asked)\b",
    r"\b(?:description|issue|ticket|comment|review|spec|message|log|output|error|bot) (?:mentions?|says?|"
    r"states?|claims?|suggests?|asks?)\b",
    r"\b(?-i:(?!I\b|We\b|You\b|As\b|Like\b)[A-Z]\w+) (?:said|says|wrote|writes|told (?:me|us)|suggest(?:s|ed)|"
    r"recommend(?:s|ed)) ?(?:in|on|to|that|:|[\"'“„])",
    r"\b(?:slack|e?mail|message|note|ticket|ping) from \w+",
    r"\b(?:said to|told (?:me|us) to|wants (?:us|me|you) to|want (?:us|me) to|asked (?:us|me) to|"
    r"insists? (?:on|that))\b|"
    r"\b(?:he|she|they|boss|manager|linter|agent|colleague|team lead|client) (?:wants?|told|asked|insists?|said)\b|"
    r"\b(?:read|saw|heard|found) (?:on|in|that|somewhere)\b|\bin (?:the|a|this) (?:tutorial|video|talk|book|"
    r"course|blog|"
    r"article|docs?)\b|\bthe (?:old|former|previous|usual) (?:convention|rule|way|habit|style)\b|"
    r"\b(?:states?|claims?):",
    # Who thinks, says or wants it, whoever that is; a bot and a linter are somebody, too.
    r"\b(?:my|our|the|a|some|his|her|their) (?:[\w-]+ ){0,2}?(?:colleague|co-?worker|boss|manager|lead|friend|mum|"
    r"mom|dad|"
    r"brother|sister|wife|husband|teacher|bot|linter|compiler|wiki|handbook|manual|guide|tutorial|client|customer|copilot|"
    r"standard|rfc)s? (?:\w+ )?(?:thinks?|believes?|says?|complains?|commented|suggests?|insists?|prefers?|wants?|"
    r"feels?|"
    r"warns?|recommends?)\b|\b(?:copilot|chatgpt|gemini|mum|mom|dad) (?:\w+ )?(?:says?|suggests?|thinks?|wants?)\b|"
    r"\byou (?:wrote|said|told me|promised)\b|\bas (?:the|an?) [\w-]+ (?:agent|assistant|bot)\b|"
    r"^(?:issue|ticket|bug|pr|pull request|review comment) ?#?[\w/.:-]*\d\b.{0,40}:",
    r"\b(?:er|sie|jemand|mein\w*|unser\w*|der|die|das) (?:\w+ )?(?:meinte?n?|sagte?n?|schreibt|behauptet|findet|"
    r"empfiehlt|meckert|wünscht|(?:will|möchte)(?=,))\b|\b(?:im|in der|in dem|in den) \w+ steht\b",
    r"\b(?:il|elle|mon|ma|mes|le|la|les) (?:\w+ )?(?:a dit|dit|disent|pense|veut|préfère|recommande|conseille|"
    r"suggère)\b",
    r"\b(?:él|ella|mi|el|la|los|las|un|una) (?:\w+ )?(?:dijo|dice|dicen|quiere|piensa|cree|prefiere|recomienda|"
    r"sugiere)\b",
    r"(?:他|她|他们|同事|老板|客户|领导|朋友|文档|手册|有人|机器人)(?:\w{0,3})?(?:说|觉得|认为|建议|要求|写道|希望|想)",
    # What is only imagined, or played.
    r"\b(?:let'?s|lets) (?:pretend|say|imagine|assume|suppose|play)\b|\bfor the sake of argument\b|\bif (?:we|I|you) "
    r"(?:had|were|could)\b|\b(?:stell(?:t|en sie)? (?:dir|euch|sich) vor|angenommen|nehmen wir an|spielen wir)\b|"
    r"\b(?:imagine[rz]? qu|supposons|admettons|imagina(?:te)? que|supongamos|pongamos que)|假设|假如|想象一下",
    r"\b(?:imagine|I wonder|suppose|hypothetically|what if|yeah right|as if)\b|(?:^|\s)/s\b|\b(?:translate|"
    r"rephrase|reword) ",
    r"\baccording to\b|\b(?:laut|selon|según|secondo)\b|(?:他|她|他们|文档|有人)说|によると|と言って",
)
MOMENTARY = _any(
    r"\bjust (?:tell|show|explain|answer|give) (?:me|us)\b|^\W*(?:leave|skip|drop) (?:it|that)\b",
    r"\b(?:for now|right now|this time|at the moment|for the moment|today|tomorrow|later|in a (?:sec|"
    r"minute)|this once|yet|just this|(?:in|for|with|on) this (?:one|run|change|commit|pr|case|test|task|step|"
    r"branch|session)\b|until (?:it|they|the|all|that|then|i|we)\b|temporarily|currently|one second|real quick)\b",
    r"\b(?:vorerst|im moment|diesmal|heute|später|pour l'instant|cette fois|aujourd'hui|por ahora|esta vez|"
    r"hoy|por enquanto|per ora|пока|сейчас)\b|\b(?:dann|jetzt|noch|mal|kurz) (?:\w+ )?bitte\b|\bbitte (?:\w+ )?(?:noch|"
    r"mal|kurz|jetzt)\b",
    r"暂时|目前先|这次|等下|稍后|今天|とりあえず|今回|今日|일단|이번",
)
AT_HAND = _any(  # what only exists while this piece of work is done
    r"\b(?:the|this|that|your|our) (?:\w+ )?(?:previous|current|new|next|last|other|first) (?:task|plan|step|change|"
    r"changes|feature|commit|repo|one|version|approach|idea)\b|\bnew feature\b|\bthis (?:plan|task|step|feature)\b",
    r"\b(?:diese[nrms]?|la prochaine|cette|este|esta) (?:aufgabe|schritt|plan|tâche|étape|tarea|paso)\b",
    r"这(?:个|一)(?:任务|步|计划)",
    r"\b(?:for|in|on|of) (?:the|this) (?:button|icon|header|footer|title|modal|dialog|menu|logo|background|label|"
    r"page|form|"
    r"field|banner|sidebar|link|font|colou?r)s?\b",
)
# What is said of how things are done here, not of the thing at hand: many things, the project, "we", a bare name.
GENERAL = _any(
    r"\b(?:for|in|of|on|with|to|across|before|after) (?:all|every|each)\b|^(?:all|every|each)\b|\b(?:everywhere|"
    r"throughout|by "
    r"default|in general|generally|convention|policy|conventions|policies)\b|"
    r"\b(?:this|the|our) (?:repo\w*|project|code ?base|workspace|team)\b|\bwe(?:'re| are) (?:not )?\w+ing\b",
    r"\b(?:we|our team)(?:'ll|'re)? (?:(?:only|do not|don'?t|dont|will|should|must|can'?t|are|not) )*(?:us(?:e|ing)|"
    r"prefer|keep|write|name|mock|deploy|host|run|support|follow|put|allow|stick)\b|\blet'?s (?:just |all |also )?"
    r"(?:(?:do) (?!(?:it|this|that|these|the|a|an|all)\b)|use|stick|go with|"
    r"switch to|not use)\b|\bI (?:prefer|hate|don'?t (?:want|like)|do not (?:want|like))\b",
    r"(?:^|[,.;:–—-] )(?:please |also |and )*(?:use|prefer|avoid|do(?: not|n'?t) \w+|no|stop (?:using|trying)|never) "
    r"(?!(?:the|this|that|these|those|it|its|them|a|an|any|anything|me|my|one|yet|now|only|just|until|if|"
    r"when|after)\b|$)\S",
    r"\bwir (?:\w+ )?(?:verwenden|nutzen|benutzen|schreiben|wollen)\b|\b(?:im|in diesem) (?:ganzen |gesamten )?"
    r"(?:projekt|repo)\b|\b(?:in allen|in jede[mr]|für alle|für jede\w*|überall)\b|"
    r"^(?:bitte )?(?:verwende|nutze|benutze|nimm) (?!(?:de[nrm]|die|das|dies\w*|ein\w*)\b)",
    r"\b(?:on|nous) (?:n'|ne )?(?:utilis\w+|préfér\w+)|\bdans (?:tout|tous|toutes|ce (?:projet|dépôt))\b|"
    r"\b(?:partout|"
    r"chaque|tous les|toutes les)\b|^utilise[rz]? (?!(?:le|la|les|ce|cette|un|une)\b|l')",
    r"\b(?:usamos|preferimos|usiamo)\b|\ben (?:todos?|todas?|este (?:proyecto|repo\w*))\b|\bcada\b|^(?:usa|utiliza) "
    r"(?!(?:el|la|los|las|este|esta|un|una)\b)|\b(?:мы используем|везде|во всех)\b",
    r"所有|全部|每(?:个|次)|统一|我们(?:都|不)?(?:用|使用|采用)|项目(?:里|中)|用 ?(?=[A-Za-z`])"
    r"|すべて|全て|毎回|プロジェクト(?:では|内)|[A-Za-z`] ?を使|모든|전부|매번|프로젝트",
)
FAILS = _any(  # "it always fails" is a report, in every language
    r"\b(?:schlägt|fehl\w*|hängt|lädt|geschlossen|stürzt|échoue\w*|charge|plante\w*|falla\w*|carga|funciona|"
    r"cierra|abre|"
    r"crash\w*|fails?|hangs?|breaks?)\b|\b(?:падает|загружа\w*|закрывается|зависает|работает|ломается|открывается)\b",
    r"失败|报错|不会|加载|崩溃|卡住|失敗|落ち|動か|エラー|실패|멈춥",
)
SPECIFIED = _any(  # what a thing that is being made shall always do: no rule for the work
    r"^\W*(?:and |also |but )?(?:the|a|an|each|every|this|that|it) (?:[\w`-]+ ){0,4}?(?:should|must|shall|"
    r"may|can|will|"
    r"needs? to|has to) (?:always|never)\b|\bthe users? (?:should|must|can|may|will) (?:always|never)\b"
)
PLATITUDE = _any(
    r"^\W*+(?:make sure|ensure|be sure)?\W*+(?:everything|it|this|that|they|all)?\s*(?:(?:still )?(?:works?|"
    r"passes?|is (?:ok|fine|good|correct)|are (?:ok|fine|good))|be careful|do (?:it )?(?:well|properly|"
    r"right|correctly)|think (?:hard|step by step|carefully)|take your time|good job|keep going|use best "
    r"practices?|write clean code|don'?t break anything|double[- ]check)(?: (?:please|again|correctly|"
    r"properly|as expected))?\W*$"
)
ASSENT = re.compile(
    r"^\W*(?:y|yes|yep|yeah|yup|sure|ok|okay|k|go|go ahead|do it|do that|please do|proceed|sounds good|"
    r"perfect|great|lgtm|gtg|fine|agreed|approved|correct|right|exactly|absolutely|definitely"
    r"|ja|jawohl|genau|gerne|mach das|mach es|passt|einverstanden|oui|d'accord|vas-y|parfait|sí|si|vale|"
    r"claro|de acuerdo|hazlo|adelante|sim|pode|va bene|да|давай|хорошо"
    r"|可以|好|好的|行|嗯|是的|对|没问题|同意|就这样|开始吧|はい|うん|お願いします|いいよ|いいです|了解|네|예|좋아|그래|응)"
    r"(?:[\s,.!，。！、]+(?:please|thanks|thank you|go ahead|do it|do that|sir|bitte|merci|gracias|谢谢|吧|开始吧|ok|"
    r"yes))*[\s,.!，。！~]*$",
    re.I,
)
THANKS = _any(
    r"\b(?:thanks|thank you|thx|ty|cheers|great (?:work|job)|good (?:work|job)|nice (?:work|job|one)|well "
    r"done|excellent|awesome|amazing|perfect|brilliant|love it|works (?:great|perfectly|now|well)|it works|"
    r"that works|that worked|looks (?:good|great)|lgtm)\b",
    r"\b(?:danke|super|perfekt|klasse|großartig|funktioniert jetzt|merci|parfait|génial|ça marche|gracias|"
    r"perfecto|excelente|genial|funciona|grazie|perfetto|obrigad[oa]|спасибо|отлично|супер)\b",
    r"👍|🎉|🙏|\bthere we go\b|\bpasst(?: jetzt)?\b|\bya (?:funciona|no)\b|\bta\b(?=\W*$)|"
    r"谢谢|感谢|太好了|很好|不错|完美|好用|"
    r"可以了|搞定|ありがとう|助かり|完璧|いいね|素晴らしい|고마워|감사|완벽|잘했",
)
COMPLAINT = _any(
    r"\b(?:(?:still |again )(?:doesn'?t|does not|not|isn'?t|fails?|broken|failing|wrong)|(?:doesn'?t|does "
    r"not|didn'?t|did not) work|not working|isn'?t working|you broke|that'?s wrong|this is wrong|wrong "
    r"again|not what i (?:asked|wanted|meant)|why did you|wtf|fgs|ffs|annoying|useless|terrible|revert "
    r"(?:that|this|it|your)|undo (?:that|this|it|your)|stop)\b",
    r"\b(?:funktioniert (?:immer noch )?nicht|geht nicht|falsch|kaputt|ne (?:marche|fonctionne) "
    r"(?:toujours )?pas|faux|no funciona|sigue sin|está mal|incorrecto|não funciona|non funziona|не "
    r"работает|неправильно)\b",
    r"不对|不行|还是(?:不|报错|失败)|错了|没(?:有)?(?:用|效果|解决)|报错"
    r"|违|違う|動かない|動きません|まだ|ダメ|안 ?돼|틀렸|여전히",
)

# What was said is taken back: by its name, or by a word that stands for it.
_BEGINS = r"(?:^|[.,;:!–—-]\s*|\b(?:then|so|please|ok(?:ay)?|no|wait|actually|hm+|and|dann|bitte|also)\s+)"
DROPS = re.compile(
    _BEGINS + r"(?:forget(?: about)?|scratch|ignore what I said about|vergiss|olvida|oublie[rz]?|забудь(?: про)?|"
    r"忘掉|别用) ?"
    r"((?:the |that |el |la |le |das |die |den )?[\w./@`-]+(?: [\w./@`-]+)?)(?![^.!]*\?)",
    re.I,
)
TAKES_BACK = re.compile(
    _BEGINS + r"(?:forget (?:that|it|this)|scratch that|(?:just )?kidding|I take (?:that|it) back|ignore (?:that|"
    r"what I (?:just )?"
    r"said)|that(?: rule)?(?:'s| is) (?:nonsense|void|off)|vergiss (?:das|es)|oublie[rz]? (?:ça|cela)|olv[ií]dal[oa]|"
    r"(?:nee,? |nein,? )?doch nicht)\b|^\W*(?:算了|当我没说|忘了(?:吧|它))",
    re.I,
)


def marks(sentence: str) -> dict[str, int]:
    """The marks of a rule in a sentence, with their points."""
    return {name: points for name, points, pattern in MARKS if pattern.search(sentence)}
