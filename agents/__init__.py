"""Trainable PyTorch agents: networks, checkpoints and the opponents made from them."""

from agents.torch_agent import TorchAgent, load

__all__ = ["TorchAgent", "load"]
