"""What LiteLLM's Router adds to a model call that needs no network: healthy, and with one failover."""

import asyncio
import logging
import time

import litellm
from litellm import Router

litellm.suppress_debug_info = True
logging.disable(logging.CRITICAL)

MESSAGES = [{"role": "user", "content": "hello"}]
BATCHES, CALLS = 20, 20


def entry(name, response):
    params = {"model": f"openai/{name}", "api_key": "none", "mock_response": response}
    return {"model_name": name, "litellm_params": params}


def router(first):
    """Two models, the second behind the first; no pauses, and no cooldown that would skip the first."""
    return Router(
        model_list=[entry("primary", first), entry("backup", "hello")],
        fallbacks=[{"primary": ["backup"]}],
        num_retries=0,
        disable_cooldowns=True,
        timeout=60,
    )


async def least(call):
    """The least time of a call over many batches, in nanoseconds."""
    for _ in range(CALLS):
        await call()
    best = float("inf")
    for _ in range(BATCHES):
        start = time.perf_counter_ns()
        for _ in range(CALLS):
            await call()
        best = min(best, (time.perf_counter_ns() - start) / CALLS)
    return best


async def main():
    plain = await least(
        lambda: litellm.acompletion("openai/primary", MESSAGES, mock_response="hello", api_key="none")
    )
    healthy, failing = router("hello"), router(Exception("the model failed"))
    routed = await least(lambda: healthy.acompletion("primary", MESSAGES))
    failed_over = await least(lambda: failing.acompletion("primary", MESSAGES))
    # The call itself costs LiteLLM more than the Router does: what the Router adds is what compares with a stack.
    print(f"LiteLLM, no router\t{plain:.0f}")
    print(f"LiteLLM Router, healthy\t{routed:.0f}")
    print(f"LiteLLM Router, healthy, what it adds\t{routed - plain:.0f}")
    print(f"LiteLLM Router, one failover\t{failed_over:.0f}")


asyncio.run(main())
