"""What the zygote's interpreter runs. The host imports only what both sides agree on."""
