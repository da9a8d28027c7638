"""What several adversaries share. Nothing here is an adversary that can be named."""
