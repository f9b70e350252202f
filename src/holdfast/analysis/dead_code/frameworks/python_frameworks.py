"""Python: the language, its standard library, test runners, web frameworks, task queues, migrations."""

from __future__ import annotations

from holdfast.analysis.dead_code.frameworks.convention import Convention, languages, words

PYTHON = languages("python")

LANGUAGE = Convention(
    "python",
    PYTHON,
    silent_decorators=words(
        "property staticmethod classmethod cached_property lru_cache cache wraps contextmanager dataclass"
        " asynccontextmanager abstractmethod abstractproperty total_ordering final override overload setter"
        " getter deleter deprecated runtime_checkable no_type_check unique attrs define frozen mutable s"
        " singledispatchmethod singledispatch coroutine njit jit vectorize timeit skip skipif parametrize"
        " usefixtures flaky xfail patch inject_checker dataclass_transform type_check_only"
        " cached_classproperty"
    ),
    decorators=words("register atexit unraisablehook add_listener subscribe hook hookimpl hookspec"),
    files=((r"(^|/)(setup|conf|noxfile|fabfile|gunicorn[._]conf)\.py$", r""), (r"\.pyi$", r"")),
    members=words(
        "read readline readlines write writelines flush close fileno isatty seek tell truncate seekable"
        " readable writable _missing_ _generate_next_value_ _ignore_ _fields_ _order_ _make _replace _asdict"
    ),
    hooks=words(
        "run emit format default handle handle_error log_message process_request finish_request close"
        " generic_visit feed error write read readline flush start stop target acquire release createLock"
        " handleError formatTime formatException filter terminate popitem setdefault find_spec find_module"
        " load_module exec_module create_module reset getstate setstate"
    ),
    known_bases=words(
        "Thread Process NodeVisitor NodeTransformer JSONEncoder Handler Formatter HTMLParser Cmd"
        " BaseHTTPRequestHandler TestCase"
    ),
    names=words("main lambda_handler"),
    hook_prefixes=("visit_", "leave_", "depart_", "do_", "help_", "complete_", "handle_", "on_", "test"),
    silent_bases=words(
        "object Exception BaseException ValueError TypeError RuntimeError KeyError LookupError IndexError"
        " OSError IOError AttributeError NotImplementedError ArithmeticError Warning UserWarning ABC Protocol"
        " Generic NamedTuple TypedDict Enum IntEnum StrEnum Flag IntFlag BaseModel metaclass"
        " DeprecationWarning AssertionError StopIteration ConnectionError TimeoutError ImportError"
    ),
)

TESTS = Convention(
    "pytest and unittest",
    PYTHON,
    decorators=words("fixture yield_fixture given hookimpl hookspec scenario when then step before after"),
    hooks=words(
        "setUp tearDown setUpClass tearDownClass setUpModule tearDownModule asyncSetUp asyncTearDown"
        " setUpTestData addCleanup runTest startTest stopTest addSuccess addFailure addError addSkip"
        " addSubTest addExpectedFailure addUnexpectedSuccess"
    ),
    bases=words("TestCase IsolatedAsyncioTestCase TransactionTestCase SimpleTestCase LiveServerTestCase"),
    prefixes=("pytest_", "__unittest"),
    files=(
        (
            r"(^|/)(test_[^/]*|[^/]*_tests?|tests?|conftest)\.py$|(^|/)(tests?|testing)/",
            r"^(test|Test|setup|teardown|setUp|tearDown|load_tests|pytest(_|mark$)|collect_ignore)|Tests?$",
        ),
        (r"(^|/)conftest\.py$", r"^(pytest_|collect_ignore)"),
    ),
)

DJANGO = Convention(
    "Django",
    PYTHON,
    decorators=words("receiver register simple_tag inclusion_tag filter tag simple_block_tag display action"),
    bases=words(
        "Model BaseCommand LabelCommand AppCommand AppConfig Migration ModelAdmin TabularInline Library"
        " Lookup Transform Manager SyndicationFeed Sitemap"
    ),
    known_bases=words(
        "View TemplateView ListView DetailView FormView CreateView UpdateView DeleteView APIView ViewSet"
        " ModelViewSet GenericViewSet Serializer ModelSerializer Form ModelForm TestCase MiddlewareMixin"
        " BasePermission"
    ),
    names=words(
        "urlpatterns app_name handler400 handler403 handler404 handler500 default_app_config application"
        " websocket_urlpatterns"
    ),
    members=words("Meta Media Config Params Arguments"),
    hooks=words(
        "handle add_arguments handle_label handle_app_config get_version ready save delete clean full_clean"
        " get_absolute_url natural_key get_by_natural_key dispatch get post put patch head options trace"
        " get_queryset get_context_data get_object get_form get_form_class get_form_kwargs get_template_names"
        " get_success_url form_valid form_invalid get_serializer_class get_permissions has_permission"
        " has_object_permission has_add_permission has_change_permission has_delete_permission"
        " has_view_permission get_urls save_model save_formset to_representation to_internal_value validate"
        " create update perform_create perform_update perform_destroy list retrieve destroy partial_update"
        " process_request process_response process_view process_exception process_template_response"
        " get_prep_value from_db_value to_python db_type deconstruct contribute_to_class formfield items"
        " location lastmod item_title item_link item_description lookups queryset test_func allow_relation"
        " allow_migrate db_for_read db_for_write authenticate get_user get_lookup as_sql render"
    ),
    hook_prefixes=("clean_", "validate_", "get_", "formfield_", "resolve_", "mutate"),
    files=(
        (r"(^|/)migrations/", r""),
        (r"(^|/)management/commands/", r"^Command$"),
        (r"(^|/)[^/]*(settings|config)[^/]*(/|\.py$)", r"^[A-Z][A-Z0-9_]*$"),
        (r"(^|/)urls\.py$", r"^(urlpatterns|app_name|handler\d+)$"),
        (r"(^|/)(admin|apps|signals)\.py$", r"(Admin|Config|Inline)$"),
        (r"(^|/)templatetags/", r"^register$"),
    ),
)

WEB = Convention(
    "Flask, FastAPI, Starlette, aiohttp, Sanic, Tornado, Pyramid",
    PYTHON,
    decorators=words(
        "route get post put patch delete head options trace websocket websocket_route api_route middleware"
        " before_request after_request teardown_request teardown_appcontext before_first_request errorhandler"
        " app_errorhandler before_app_request after_app_request context_processor app_context_processor"
        " template_filter template_global template_test app_template_filter app_template_global endpoint"
        " url_value_preprocessor url_defaults shell_context_processor user_loader request_loader"
        " unauthorized_handler exception_handler on_event lifespan listener view_config subscriber api_view"
        " resource tool prompt expose exempt login_manager"
    ),
    names=words("app application celery celery_app create_app make_app lifespan cli router server asgi wsgi"),
    hooks=words("get post put patch delete head options prepare on_finish initialize dispatch_request"),
)

MODELS = Convention(
    "pydantic, SQLAlchemy, marshmallow, attrs",
    PYTHON,
    decorators=words(
        "validator root_validator field_validator model_validator field_serializer model_serializer"
        " computed_field validates validates_schema pre_load post_load pre_dump post_dump listens_for"
        " hybrid_property hybrid_method expression declared_attr event comparator inplace compiles"
    ),
    bases=words("Base DeclarativeBase db.Model SQLModel Document"),
    names=words("model_config"),
    members=words("Config Meta model_config"),
    hooks=words("model_post_init"),
)

COMMANDS = Convention(
    "Click, Typer, Celery, Alembic, invoke, nox, Dramatiq, RQ, Airflow",
    PYTHON,
    decorators=words(
        "command group callback result_callback task shared_task periodic_task actor job flow dag session"
        " cron scheduled_job connect on_after_configure on_after_finalize worker_ready subtask asset op"
        " task_prerun task_postrun task_failure task_success worker_process_init nox_session periodic"
    ),
    bases=words("Task"),
    files=(
        (
            r"(^|/)versions/[^/]*\.py$",
            r"^(revision|down_revision|branch_labels|depends_on|upgrade|downgrade|(upgrade|downgrade)_\w+)$",
        ),
        (r"(^|/)(alembic|migrations)/env\.py$", r"^(run_migrations_\w+|target_metadata|config)$"),
        (r"(^|/)celery(config|_config)?\.py$", r"^(app|celery|[a-z_]+)$"),
        (r"(^|/)dags/", r""),
    ),
    hooks=words("on_success on_failure on_retry after_return execute poke"),
)

ALL = (LANGUAGE, TESTS, DJANGO, WEB, MODELS, COMMANDS)
