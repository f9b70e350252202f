"""JavaScript and TypeScript: the language, test runners, React, Next and their like, Angular and Nest."""

from __future__ import annotations

from holdfast.analysis.dead_code.frameworks.convention import Convention, languages, words

SCRIPTS = languages("javascript", "typescript", "tsx")

LANGUAGE = Convention(
    "javascript",
    SCRIPTS,
    members=words(
        "constructor toString toJSON valueOf then catch finally next return throw inspect dispose"
        " Symbol.iterator Symbol.asyncIterator Symbol.toPrimitive Symbol.toStringTag Symbol.hasInstance"
    ),
    silent_bases=words("Object Error TypeError RangeError Array Map Set Promise Function"),
    hook_prefixes=("on", "visit", "handle", "enter", "exit"),
    files=(
        (r"\.d\.[cm]?ts$", r""),
        (r"(^|/)[^/]*\.(config|conf|setup|stories|story)\.[cm]?[jt]sx?$", r""),
        (r"(^|/)(gulpfile|Gruntfile|webpack|rollup|karma|vite|vitest|jest)[^/]*\.[cm]?[jt]s$", r""),
    ),
)

TESTS = Convention(
    "Jest, Vitest, Mocha, Playwright",
    SCRIPTS,
    names=words("beforeEach afterEach beforeAll afterAll globalSetup globalTeardown"),
    files=((r"(^|/)__mocks__/", r""), (r"(^|/)(cypress|playwright)/", r"^(default|setup|teardown)$")),
)

REACT = Convention(
    "React",
    SCRIPTS,
    bases=words("Component PureComponent HTMLElement LitElement"),
    hooks=words(
        "render componentDidMount componentWillUnmount componentDidUpdate componentDidCatch"
        " shouldComponentUpdate getSnapshotBeforeUpdate getDerivedStateFromProps getDerivedStateFromError"
        " UNSAFE_componentWillMount UNSAFE_componentWillReceiveProps UNSAFE_componentWillUpdate"
        " connectedCallback disconnectedCallback attributeChangedCallback adoptedCallback observedAttributes"
        " propTypes defaultProps displayName contextType"
    ),
    members=words("ngOnInit ngOnDestroy ngOnChanges ngAfterViewInit ngAfterContentInit ngDoCheck"),
)

PAGES = Convention(
    "Next, Remix, SvelteKit, Nuxt, Gatsby, Astro",
    SCRIPTS,
    files=(
        (r"(^|/)(pages|routes)/", r""),
        (
            (
                r"(^|/)app/(.*/)?(page|layout|loading|(global-)?error|not-found|template|default|route|sitemap"
                r"|robots|manifest|icon|opengraph-image|root|entry\.\w+|_\w+)\.[jt]sx?$"
            ),
            r"",
        ),
        (r"(^|/)(\+[a-z.]+|middleware|instrumentation|proxy|gatsby-[a-z]+)\.[jt]sx?$", r""),
    ),
)

DECORATED = Convention(
    "Angular, Nest, TypeORM, MobX, Lit",
    SCRIPTS,
    decorators=words(
        "Component Directive Injectable NgModule Pipe Input Output HostListener HostBinding ViewChild"
        " Controller Module Get Post Put Patch Delete Head Options All MessagePattern EventPattern Catch"
        " WebSocketGateway SubscribeMessage Resolver Query Mutation Subscription ResolveField Field"
        " ObjectType InputType Entity Column PrimaryGeneratedColumn ManyToOne OneToMany OneToOne ManyToMany"
        " BeforeInsert AfterLoad EventSubscriber Processor Process Cron Interval OnEvent customElement"
        " property state action computed observable Guard Interceptor Command Option Prop Watch Emit"
    ),
    silent_decorators=words("Memoize memoize debounce throttle bind autobind deprecated override"),
    hooks=words(
        "transform canActivate intercept catch use onModuleInit onModuleDestroy onApplicationBootstrap"
        " ngOnInit ngOnDestroy resolve writeValue registerOnChange registerOnTouched setDisabledState"
        " validate"
    ),
)

ALL = (LANGUAGE, TESTS, REACT, PAGES, DECORATED)
