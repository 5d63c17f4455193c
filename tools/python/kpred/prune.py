"""prune.py - of the configurations of a Triton kernel, those that are worth timing

SPDX-License-Identifier: MIT

    @triton.autotune(configs, key=["M", "N", "K"], prune_configs_by={"early_config_prune": kpred.prune("gemm.h", k=4)})
"""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import Error, Field, Model, Param, Value, _place, _places, load

ATTRIBUTES = ("num_warps", "num_stages", "num_ctas", "maxnreg") # of a triton.Config, beside its kwargs


def prune(model: Union[Model, str], k: int = 4, *, given: Optional[Mapping[str, Value]] = None,
          names: Optional[Mapping[str, str]] = None) -> Callable[..., List[Any]]:
    """A function for Triton's `early_config_prune`. It keeps the k configurations that the model finds most promising,
    the best first, and all of them where the model does not know the problem.

    A field of the model is the kernel's argument of that name, and a parameter is a configuration's key. `names` says
    which one it is where it has another name. `given` has the fields that are no argument, such as the GPU; one with a
    single token needs no value. A field `types` is what kpred-train makes of the tensors' types."""
    if not isinstance(k, int) or k < 1:
        raise Error(f"k is {k!r}: it has to be 1 or more", value=k)
    known = model if isinstance(model, Model) else load(model)
    called = dict(names or {})
    constants = {called.get(name, name): value for name, value in (given or {}).items()}
    _check_names(known, given or {}, called)
    alone = {called.get(f.name, f.name): f.tokens[0] for f in known.fields
             if len(f.tokens) == 1 and f.name != "types"}
    has_types = "types" in [f.name for f in known.fields]
    fields = [(f, called.get(f.name, f.name), _places(f.tokens)) for f in known.fields]
    params = [(p, called.get(p.name, p.name), _places(p.values)) for p in known.params]

    # torch.compile follows `kept` and its helpers, which are Python alone. It takes what `order` returns as it is.
    def order(*numbers: int) -> Tuple[int, ...]:
        return _order(known, k, numbers)

    # What torch.compiler.assume_constant_result does; torch need not be here.
    order._dynamo_marked_constant = True # type: ignore[attr-defined]

    def kept(configs: Sequence[Any], named_args: Mapping[str, Any], /, **others: Any) -> List[Any]:
        arguments: Dict[str, Any] = {**alone, **named_args, **others}
        if has_types and "types" not in arguments:
            arguments["types"] = _types(arguments)
        arguments.update(constants)
        _check_keys(known, configs, params, arguments, fields)
        numbers = [_number(arguments[name], places) for _, name, places in fields]
        for config in configs:
            for _, name, places in params:
                value = _value(config, name)
                numbers.append(_place("0" if value is None and "0" in places else value, places)) # no limit
        # hash makes a constant of what torch.compile has not looked at, and of its symbols for sizes. (-1 becomes -2.)
        return [configs[i] for i in order(*[hash(number) for number in numbers])]

    return kept


def _check_names(model: Model, given: Mapping[str, Value], names: Mapping[str, str]) -> None:
    """What is said of a field or parameter that the model lacks, or of a token, can only be a slip."""
    fields = {f.name: f for f in model.fields}
    for name, value in given.items():
        if name not in fields:
            raise Error(f"{model.name}: has no field {name}; its fields are {', '.join(fields)}", field=name,
                        value=value)
        if fields[name].tokens and _place(value, _places(fields[name].tokens)) < 0:
            raise Error(f"{model.name}: {name}={value}: unknown token; there are {', '.join(fields[name].tokens)}",
                        field=name, value=value, limit=len(fields[name].tokens))
    for name in names:
        if name not in fields and name not in [p.name for p in model.params]:
            raise Error(f"{model.name}: has neither a field nor a parameter {name}", field=name, value=names[name])


def _has(config: Any, name: str) -> bool:
    return name in config.kwargs or name in ATTRIBUTES


def _value(config: Any, name: str) -> Any:
    if name in config.kwargs:
        return config.kwargs[name]
    return getattr(config, name, None) if name in ATTRIBUTES else None


def _check_keys(model: Model, configs: Sequence[Any], params: Sequence[Tuple[Param, str, Any]],
                arguments: Mapping[str, Any], fields: Sequence[Tuple[Field, str, Any]]) -> None:
    """A model of another kernel is a mistake. That some of the configurations have a key is enough."""
    missing = [name for _, name, _ in params if not any([_has(config, name) for config in configs])]
    if missing:
        raise Error(f"{model.name}: no configuration has {', '.join(missing)}: is it a model of this kernel? (names=)",
                    field=missing[0])
    missing = [name for _, name, _ in fields if name not in arguments]
    if missing:
        raise Error(f"{model.name}: no argument is called {', '.join(missing)} (names= or given=)", field=missing[0])


def _is_tensor(value: Any) -> bool:
    """torch.compile does not ask a number for its attributes."""
    return not isinstance(value, (int, float, str)) and hasattr(value, "dtype")


def _types(arguments: Mapping[str, Any]) -> str:
    """Those of the tensors in their order, or one alone where all are the same"""
    types = [str(value.dtype).replace("torch.", "") for value in arguments.values() if _is_tensor(value)]
    return "_".join(types if len(set(types)) > 1 else types[:1]) or "none"


def _number(value: Any, tokens: Mapping[Value, int]) -> int:
    """A size, or the number of a token: the argument's text or, of a tensor, its type's"""
    if tokens:
        return _place(value.dtype if _is_tensor(value) else value, tokens)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    number: int = value if isinstance(value, int) or hasattr(value, "__index__") else -1
    return number


def _order(model: Model, k: int, numbers: Sequence[int]) -> Tuple[int, ...]:
    """Of a problem and the tuples behind it, the k best. What the model does not know or does not allow comes last."""
    width, of = len(model.fields), len(model.params)
    every = range((len(numbers) - width) // of)
    try:
        scores = model.scores(numbers[:width], numbers[width:])
    except (Error, OverflowError):
        return tuple(every)
    if not any(score is not None for score in scores):
        return tuple(every)
    return tuple(sorted(every, key=lambda i: (scores[i] is None, -(scores[i] or 0)))[:k])
