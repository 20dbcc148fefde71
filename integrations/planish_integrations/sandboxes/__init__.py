"""The sandboxes that programs run in: on this machine, in containers, in E2B's cloud."""
