"""What refuses to be pickled, and what the error says."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

import httpx
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from pydantic import SecretStr
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel
from tests.pickled.parts import (
    KEY,
    URL,
    inside,
)

from planish_integrations.anthropic import AnthropicModel
from planish_integrations.callables import CallableModel
from planish_integrations.e2b import E2BSandbox, E2BSession
from planish_integrations.environments import Environments, InEnvironment
from planish_integrations.gemini import GeminiModel
from planish_integrations.langchain import LangChainModel
from planish_integrations.litellm import LiteLLMModel
from planish_integrations.local import InSession, LocalSession
from planish_integrations.models.openai import ProtocolVariant
from planish_integrations.models.openai._chat import ChatProtocol
from planish_integrations.models.transport import (
    HttpModel,
    Secret,
)
from planish_integrations.ollama import OllamaModel
from planish_integrations.openai import OpenAIModel, OpenAIResponsesModel
from planish_integrations.pydantic_ai import PydanticAIAgent, PydanticAIModel


def send(text: str, *, api_key: str) -> str:
    return f"{text} {api_key}"


def with_client() -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.MockTransport(lambda _: httpx.Response(200)))


def _with_client(kind: Callable[..., HttpModel]) -> HttpModel:
    return kind("m", base_url=URL, client=with_client())


_MODELS: tuple[Callable[..., HttpModel], ...] = (
    *(AnthropicModel, GeminiModel, OllamaModel, OpenAIModel, OpenAIResponsesModel),
)


class _Chat(FakeListChatModel):
    api_key: SecretStr = SecretStr(KEY)


REFUSED: Mapping[tuple[str, str], tuple[Callable[[], Any], str]] = {
    **{
        (kind.__name__, "api_key"): (partial(kind, "m", api_key=KEY), "name of their variable")
        for kind in _MODELS
    },
    **{
        (kind.__name__, "client"): (
            partial(_with_client, kind),
            "sockets stay in their process",
        )
        for kind in _MODELS
    },
    ("HttpModel", "client"): (
        lambda: HttpModel(
            "m",
            protocol=ChatProtocol(ProtocolVariant()),
            provider="p",
            base_url=URL,
            api_key=Secret(""),
            client=with_client(),
        ),
        "sockets stay in their process",
    ),
    ("HttpModel", "headers"): (
        lambda: OpenAIModel("m", headers={"x-key": KEY}),
        "name of their variable",
    ),
    ("OpenAIModel", "base_url"): (
        lambda: OpenAIModel("m", base_url=f"{URL}?key={KEY}"),
        "name of their variable",
    ),
    ("OpenAIModel", "extra"): (
        lambda: OpenAIModel("m", extra={"gateway": {"api_key": KEY}}),
        "name of their variable",
    ),
    ("E2BSandbox", "api_key"): (lambda: E2BSandbox(api_key=KEY), "E2B_API_KEY"),
    ("E2BSandbox", "env"): (lambda: E2BSandbox(env={"DB_PASSWORD": KEY}), "DB_PASSWORD"),
    ("E2BSandbox", "options"): (
        lambda: E2BSandbox(options={"headers": {"X-Api-Key": KEY}}),
        "X-Api-Key",
    ),
    ("CallableModel", "call"): (lambda: CallableModel(partial(send, api_key=KEY)), "keys"),
    ("InEnvironment", "environments"): (
        lambda: InEnvironment(
            inside,
            Environments(allow=(), index_url=f"https://me:{KEY}@packages.example/simple"),
        ),
        "PIP_INDEX_URL",
    ),
    ("LangChainModel", "model"): (lambda: LangChainModel(_Chat(responses=[])), "keys"),
    ("LiteLLMModel", "options"): (
        lambda: LiteLLMModel("openai/m", options={"api_key": KEY}),
        "keys",
    ),
    ("LiteLLMModel", "router"): (lambda: LiteLLMModel("m", router=_router()), "keys"),
    ("PydanticAIModel", "model"): (lambda: PydanticAIModel(TestModel()), "its name"),
}
"""What refuses to be pickled: an object, and what the error says."""


def _router() -> Any:
    library: Any = import_module("litellm")
    options = {"model": "openai/m", "api_key": KEY}
    return library.Router(model_list=[{"model_name": "m", "litellm_params": options}])


UNBOUND: Mapping[str, tuple[Callable[[], Any], str]] = {
    "LocalSession": (LocalSession, "a session"),
    "E2BSession": (lambda: object.__new__(E2BSession), "a session"),
    "PydanticAIAgent": (lambda: PydanticAIAgent(Agent("test")), "an agent has keys"),
    "InSession": (lambda: InSession(LocalSession()), "a session"),
}
"""Classes whose objects belong to a process, whatever their options."""
