"""What runs inside the container; read as text by the host, never imported there."""
