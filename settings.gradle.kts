rootProject.name = "auk"
