"""What users test their own pipelines, models and sandboxes with."""
