"""Go, Rust, Java, Kotlin, C#, Swift, C, C++, Ruby, PHP, Bash: what the language and common libraries call."""

from __future__ import annotations

from holdfast.analysis.dead_code.frameworks.convention import Convention, languages, words

GO = Convention(
    "Go",
    languages("go"),
    names=words("main init _ TestMain"),
    files=((r"_test\.go$", r"^(Test|Benchmark|Fuzz|Example)"),),
    members=words(
        "String GoString Error Unwrap Is As Format Len Less Swap Push Pop Read Write Close Seek ReadFrom"
        " WriteTo ReadAt WriteAt ReadByte WriteByte ReadRune ServeHTTP RoundTrip Header WriteHeader Flush"
        " Hijack MarshalJSON UnmarshalJSON MarshalText UnmarshalText MarshalBinary UnmarshalBinary MarshalXML"
        " UnmarshalXML MarshalYAML UnmarshalYAML Scan Value Set Type Lock Unlock Timeout Temporary Accept"
        " Addr Open Stat Name Size Mode ModTime IsDir Sys Done Err Deadline Handle Enabled LogValue"
    ),
)

RUST = Convention(
    "Rust",
    languages("rust"),
    names=words("main _"),
    decorators=words(
        "test bench no_mangle export_name macro_export macro_use proc_macro proc_macro_derive"
        " proc_macro_attribute panic_handler global_allocator start wasm_bindgen pyfunction pymethods pyclass"
        " pymodule napi get post put delete patch head options route handler rstest proptest quickcheck"
        " test_case command ctor used link_section entry interrupt criterion tokio::main main kani::proof"
        " component server"
    ),
    silent_decorators=words(
        "derive inline must_use doc cfg cfg_attr deprecated repr non_exhaustive cold track_caller"
        " target_feature instrument rustfmt::skip automatically_derived serde default error from source"
        " clippy ignore should_panic expect"
    ),
    files=((r"(^|/)build\.rs$", r"^main$"), (r"(^|/)benches/", r"^bench")),
)

JVM = Convention(
    "Java and Kotlin: the language, JUnit, Spring, JPA, injection, serialisation",
    languages("java", "kotlin"),
    names=words("main serialVersionUID premain agentmain"),
    members=words(
        "main toString equals hashCode compareTo clone finalize close iterator readObject writeObject suite"
        " readResolve writeReplace readObjectNoData readExternal writeExternal run call get accept apply test"
        " valueOf values compare serialVersionUID invoke component1 component2 onCreate onDestroy onStart"
        " onStop onResume onPause"
    ),
    decorators=words(
        "Test ParameterizedTest RepeatedTest TestFactory TestTemplate BeforeEach AfterEach BeforeAll"
        " AfterAll Before After BeforeClass AfterClass Parameters DataProvider RunWith ExtendWith Nested"
        " Disabled Suite Bean Component Service Repository Controller RestController Configuration"
        " SpringBootApplication ControllerAdvice RestControllerAdvice ExceptionHandler RequestMapping"
        " GetMapping PostMapping PutMapping DeleteMapping PatchMapping Autowired Value Scheduled"
        " EventListener PostConstruct PreDestroy Async Aspect Around Pointcut KafkaListener RabbitListener"
        " JmsListener ConfigurationProperties Entity Table Embeddable MappedSuperclass Converter Id Column"
        " PrePersist PostLoad PreUpdate Query Inject Provides Module Singleton Produces Named Path GET POST"
        " PUT DELETE Consumes WebServlet WebFilter WebListener JsonProperty JsonCreator JsonValue JsonGetter"
        " JsonSetter XmlElement XmlRootElement Benchmark Setup TearDown State Param Subscribe Command Option"
        " Keep JvmStatic Composable Preview HiltViewModel AndroidEntryPoint Binds Override Mapper Select"
        " Insert Update Delete AutoService Mojo Parameter Rule ClassRule Fuzz FuzzTest Serializable"
    ),
    silent_decorators=words(
        "Deprecated SuppressWarnings SafeVarargs FunctionalInterface Nullable NonNull NotNull Nonnull"
        " VisibleForTesting Beta Contract CheckReturnValue CanIgnoreReturnValue ThreadSafe Immutable"
        " GuardedBy Getter Setter Data Builder Slf4j ToString EqualsAndHashCode AllArgsConstructor"
        " NoArgsConstructor Internal Experimental ApiStatus Documented Retention Target Inherited JvmField"
        " JvmOverloads JvmName Throws Suppress OptIn API"
    ),
    silent_bases=words(
        "Object Exception RuntimeException Error Throwable Serializable Cloneable Enum Record"
    ),
    files=(
        (r"(^|/)(package|module)-info\.java$", r""),
        (
            r"(Tests?|TestCase|IT|Spec)\.(java|kt)$|(^|/)src/test/",
            r"(Tests?|TestCase|IT|Spec|Benchmark)$|^Test",
        ),
    ),
)

CSHARP = Convention(
    "C#: the language, ASP.NET, test runners, serialisation",
    languages("csharp"),
    names=words("Main Program Startup"),
    members=words(
        "Main ToString Equals GetHashCode Dispose DisposeAsync CompareTo GetEnumerator Configure"
        " ConfigureServices Deconstruct GetObjectData InvokeAsync Invoke Finalize OnModelCreating Up Down"
        " Awake Start Update FixedUpdate LateUpdate OnEnable OnDisable OnDestroy OnValidate Reset OnGUI"
    ),
    decorators=words(
        "Fact Theory Test TestCase TestMethod TestClass TestFixture SetUp TearDown OneTimeSetUp"
        " OneTimeTearDown TestInitialize TestCleanup ClassInitialize Benchmark HttpGet HttpPost HttpPut"
        " HttpDelete HttpPatch Route ApiController DllImport DllExport UnmanagedCallersOnly JsonPropertyName"
        " JsonConstructor DataMember Export Import ModuleInitializer OnDeserialized OnSerializing"
        " FunctionName Function SerializeField MenuItem RuntimeInitializeOnLoadMethod"
    ),
    silent_decorators=words(
        "Obsolete MethodImpl Pure NotNull CanBeNull DebuggerDisplay DebuggerStepThrough Flags Conditional"
        " EditorBrowsable ExcludeFromCodeCoverage SuppressMessage CLSCompliant Serializable StructLayout"
    ),
    silent_bases=words("Exception Attribute object EventArgs"),
)

SWIFT = Convention(
    "Swift",
    languages("swift"),
    names=words("main"),
    decorators=words(
        "main UIApplicationMain NSApplicationMain objc IBAction IBOutlet IBInspectable _cdecl Test"
    ),
    silent_decorators=words(
        "discardableResult inlinable available MainActor escaping frozen Published State"
    ),
    members=words(
        "body makeBody hash encode init deinit viewDidLoad viewWillAppear viewDidAppear viewWillDisappear"
        " viewDidDisappear description debugDescription setUp tearDown setUpWithError tearDownWithError"
        " previews"
    ),
    hook_prefixes=("test", "application", "tableView", "collectionView", "scene"),
    files=((r"(^|/)Package\.swift$", r""), (r"Tests?(/|\.swift$)", r"^test|Tests?$")),
)

C_FAMILY = Convention(
    "C and C++",
    languages("c", "cpp"),
    names=words("main WinMain wWinMain DllMain _start LLVMFuzzerTestOneInput JNI_OnLoad JNI_OnUnload"),
    prefixes=("Java_", "PyInit_"),
    members=words("begin end size swap what operator"),
    files=((r"\.(h|hh|hpp|hxx|inl)$", r"^[A-Z0-9_]+$"),),
)

RUBY = Convention(
    "Ruby: the language, Rails, tests",
    languages("ruby"),
    members=words(
        "initialize to_s to_str inspect method_missing respond_to_missing? each <=> == === hash eql? call"
        " coerce included extended inherited prepended method_added to_json as_json to_h to_a to_hash to_proc"
        " perform change up down setup teardown show index create update destroy edit new"
    ),
    bases=words(
        "ApplicationRecord ActiveRecord::Base ApplicationJob ApplicationMailer Migration Test TestCase"
        " ApplicationController ActionController::Base ApplicationCable Railtie Engine Spec"
    ),
    hook_prefixes=("test_", "visit_", "on_"),
    files=(
        (r"(^|/)(Rakefile|Gemfile|config|db|spec|test|bin)(/|$)", r""),
        (r"(^|/)app/(helpers|controllers|mailers|jobs|channels)/", r""),
    ),
)

PHP = Convention(
    "PHP: the language, Laravel, Symfony, WordPress, tests",
    languages("php"),
    members=words(
        "handle boot register up down run rules authorize toArray jsonSerialize getIterator count offsetGet"
        " offsetSet offsetExists offsetUnset current key next rewind valid setUp tearDown definition"
        " configure execute build via toMail render index show store create edit update destroy schedule"
    ),
    prefixes=("__",),
    hook_prefixes=("test", "get", "set", "scope", "on"),
    decorators=words("Route Test DataProvider AsCommand AsController ORM"),
    files=((r"(^|/)(config|database|routes|tests?)/", r""),),
)

BASH = Convention(
    "Bash",
    languages("bash"),
    names=words("main usage setup teardown setup_file teardown_file command_not_found_handle"),
    prefixes=("test_",),
)

ALL = (GO, RUST, JVM, CSHARP, SWIFT, C_FAMILY, RUBY, PHP, BASH)
