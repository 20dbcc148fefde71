"""What is built when some packages cannot be, with a builder whose results are written here."""

from pathlib import Path

import pytest

from planish.errors import AuthenticationError, SandboxError, UnsupportedError
from planish_integrations.environments import EnvSpec, Install
from planish_integrations.environments._builder import Builder
from planish_integrations.environments._imports import Import
from planish_integrations.environments._pip import InstallFailure, InstallFailureKind
from planish_integrations.environments._plan import Plan, plan
from planish_integrations.environments._resolution import (
    build_best_effort,
    build_exact,
    find_culprits,
)
from planish_integrations.environments._rules import Rules
from planish_integrations.environments._store import BuiltEnvironment

pytestmark = pytest.mark.anyio

BUILT = BuiltEnvironment(Path("/site"), {}, 1.0)


class Results(Builder):
    """Builds nothing: fails for specifications with a name that is `bad`."""

    def __init__(self, *bad: str, kind: InstallFailureKind = "missing", named: bool = True) -> None:
        self.bad = bad
        self.kind: InstallFailureKind = kind
        self.named = named
        self.built: list[tuple[str, ...]] = []

    async def get(self, spec: EnvSpec) -> tuple[BuiltEnvironment | InstallFailure, bool]:
        self.built.append(spec.requirements)
        found = tuple(one for one in spec.requirements if one in self.bad)
        names = found if self.named else ()
        return (InstallFailure(self.kind, names, "so pip says") if found else BUILT), True


def make(requirements: tuple[str, ...]) -> EnvSpec:
    return EnvSpec(requirements=requirements)


async def test_what_cannot_be_built_is_left_out_with_its_reason() -> None:
    builder = Results("bad", "worse")
    found = await build_best_effort(builder, make, {"bad": "mod", "good": "good", "worse": ""})
    assert (found.spec, found.built, found.fresh) == (make(("good",)), BUILT, True)
    reason = "it is not in the index, or not for this Python: so pip says"
    assert found.failures == (
        Install(
            distribution="bad",
            fingerprint=make(("bad", "good", "worse")).fingerprint,
            outcome="missing",
            reason=f"the package bad, for `import mod`, cannot be installed: {reason}",
        ),
        Install(
            distribution="worse",
            fingerprint=make(("bad", "good", "worse")).fingerprint,
            outcome="missing",
            reason=f"the package worse cannot be installed: {reason}",
        ),
    )
    assert builder.built == [("bad", "good", "worse"), ("good",)]


async def test_when_nothing_is_left_nothing_is_built() -> None:
    found = await build_best_effort(Results("bad"), make, {"bad": "bad"})
    assert (found.spec, found.built, found.fresh) == (make(()), None, False)
    assert [one.distribution for one in found.failures] == ["bad"]


class Crowded(Results):
    """Fails for specifications with more than two names; pip blames the first of them."""

    async def get(self, spec: EnvSpec) -> tuple[BuiltEnvironment | InstallFailure, bool]:
        self.built.append(spec.requirements)
        crowded = InstallFailure("conflict", spec.requirements[:1], "so pip says")
        return (crowded if len(spec.requirements) > 2 else BUILT), True


async def test_what_every_environment_has_stays_if_only_others_together_conflict_with_it() -> None:
    builder = Crowded()
    needed = {"all": "", "b": "b", "c": "c"}
    found = await build_best_effort(builder, make, needed, ("all",))
    assert found.spec == make(("all", "b"))
    assert [one.distribution for one in found.failures] == ["c"]
    alone = [("all",), ("all", "b"), ("all", "c")]
    assert builder.built == [("all", "b", "c"), *alone, ("all", "b")]
    found = await build_best_effort(Crowded(), make, needed, ("all", "b", "c"))
    assert found.spec == make(("b", "c"))


@pytest.mark.parametrize(
    ("kind", "outcome", "reason"),
    [
        ("missing", "missing", "it is not in the index, or not for this Python"),
        ("broken", "failed", "the index's files of it are broken"),
        ("conflict", "failed", "it conflicts with the others"),
        ("denied", "failed", "it depends on a denied distribution"),
    ],
)
async def test_the_kind_of_a_failure_is_its_outcome_and_reason(
    kind: InstallFailureKind, outcome: str, reason: str
) -> None:
    found = await build_best_effort(Results("bad", kind=kind), make, {"bad": "bad"})
    [failure] = found.failures
    assert failure.outcome == outcome
    assert failure.reason.endswith(f"cannot be installed: {reason}: so pip says")


@pytest.mark.parametrize(
    ("kind", "error", "message"),
    [
        ("refused", AuthenticationError, "the package index rejects the credentials: so pip says"),
        ("unreachable", SandboxError, "the package index cannot be reached: so pip says"),
        ("host", SandboxError, "packages could not be installed: so pip says"),
    ],
)
async def test_a_failure_that_is_no_packages_is_raised(
    kind: InstallFailureKind, error: type[Exception], message: str
) -> None:
    for named in (True, False):
        builder = Results("bad", kind=kind, named=named)
        with pytest.raises(error, match=message):
            await build_best_effort(builder, make, {"bad": "bad", "good": "good"})
        failure = InstallFailure("missing", (), "")
        with pytest.raises(error, match=message):
            await find_culprits(builder, make, ("bad", "good"), failure)


async def test_requirements_that_pip_does_not_name_are_built_one_by_one() -> None:
    builder = Results("bad", "worse", named=False)
    unnamed = InstallFailure("broken", (), "")
    found = await find_culprits(builder, make, ("bad", "good", "worse"), unnamed)
    assert found == ("bad", "worse")
    assert builder.built == [("bad",), ("good",), ("worse",)]
    assert await find_culprits(builder, make, ("good", "fine"), unnamed) == ("good", "fine")
    builder.built.clear()
    assert await find_culprits(builder, make, ("good",), unnamed) == ("good",)
    assert builder.built == []


async def test_of_a_conflict_the_last_requirement_goes() -> None:
    failure = InstallFailure("conflict", ("a", "c"), "")
    assert await find_culprits(Results(), make, ("a", "b", "c"), failure) == ("c",)
    other = InstallFailure("denied", ("a", "c"), "")
    assert await find_culprits(Results(), make, ("a", "b", "c>1"), other) == ("a", "c>1")


def unchanged(spec: EnvSpec) -> EnvSpec:
    return spec


RULES = Rules(("bad", "good", "better"), (), {})


async def test_an_exact_build_takes_replacements_that_are_allowed() -> None:
    builder = Results("bad", kind="broken")
    reasons: list[tuple[str, str]] = []
    offers = iter(["unheard", "better"])

    async def replacement(requirement: str, why: str) -> str | None:
        reasons.append((requirement, why))
        return next(offers)

    found = await build_exact(
        *(builder, unchanged, RULES, make(("bad", "good"))),
        find_replacement=replacement,
        tries=2,
    )
    assert (found.spec, found.failures) == (make(("better", "good")), ())
    assert (found.built, found.fresh) == (BUILT, True)
    assert reasons == [
        ("bad", "the index's files of it are broken: so pip says"),
        ("bad", "unheard is not allowed here; allowed: bad, better, good"),
    ]


async def test_an_exact_build_ends_when_the_tries_are_used_up() -> None:
    async def replacement(requirement: str, why: str) -> str | None:
        return "unheard"

    for tries in (0, 1):
        with pytest.raises(UnsupportedError, match="'bad' cannot be installed: it is not in the"):
            await build_exact(
                *(Results("bad"), unchanged, RULES, make(("bad",))),
                find_replacement=replacement,
                tries=tries,
            )


async def test_an_exact_build_of_nothing_has_no_environment() -> None:
    builder = Results()
    found = await build_exact(
        *(builder, unchanged, RULES, make(())), find_replacement=None, tries=1
    )
    assert (found.spec, found.built, found.fresh, builder.built) == (make(()), None, False, [])


def imported(module: str, *distributions: str, optional: bool = False) -> Import:
    return Import(
        module=module,
        distributions=distributions or (module,),
        origin="name",
        optional=optional,
        file="a.py",
        line=3,
    )


async def planned(*imports: Import, inherit: bool = False, deny: tuple[str, ...] = ()) -> Plan:
    rules = Rules(("good>1", "other"), deny, {})
    return await plan(imports, rules, inherit=inherit, resolve_unknown=None)


async def test_the_first_import_of_a_requirement_names_it() -> None:
    found = await planned(imported("one", "good"), imported("two", "x", "good"), imported("other"))
    assert found == Plan({"good>1": "one", "other": "other"}, ())


async def test_a_required_import_that_is_not_allowed_is_refused() -> None:
    found = await planned(imported("far", "far-a", "far-b"), imported("maybe", optional=True))
    [refusal] = found.refusals
    assert (refusal.distribution, refusal.outcome, found.requirements) == ("far-a", "refused", {})
    assert refusal.reason == (
        "the package far-a, for `import far` in a.py, line 3, may not be installed; "
        "allowed: good>1, other"
    )


async def test_an_import_of_which_no_more_is_known_is_required_at_the_start_of_the_program() -> (
    None
):
    found = await planned(Import(module="far", distributions=("far",), origin="name"))
    [refusal] = found.refusals
    assert "for `import far` in main.py, line 1, may not" in refusal.reason


async def test_what_this_interpreter_has_is_not_installed_unless_it_is_denied() -> None:
    anyio = imported("anyio")
    assert await planned(anyio, inherit=True) == Plan({}, ())
    for found in (await planned(anyio), await planned(anyio, inherit=True, deny=("anyio",))):
        assert [one.distribution for one in found.refusals] == ["anyio"]


async def test_an_answer_about_an_unknown_module_must_be_allowed() -> None:
    asked: list[str] = []

    async def answer(module: str) -> str | None:
        asked.append(module)
        return {"known": "other", "odd": "unheard"}.get(module)

    modules = [imported("known"), imported("odd"), imported("lost"), imported("x", "good")]
    rules = Rules(("good", "other"), (), {})
    found = await plan(modules, rules, inherit=False, resolve_unknown=answer)
    assert asked == ["known", "odd", "lost"]
    assert found.requirements == {"other": "known", "good": "x"}
    assert [one.distribution for one in found.refusals] == ["unheard", "lost"]
