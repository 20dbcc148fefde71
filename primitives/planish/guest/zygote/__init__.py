"""The process that programs are forked from, and what watches over each of them."""
