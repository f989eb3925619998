"""The live classroom: rooms that a class joins by phone, follows and votes in.

In: moves of a teacher, votes of students. Out: what each of them may see, pushed to every browser,
and the results. ``model`` holds the rules, ``store`` what must be kept, ``service`` what a person
may do, ``routes`` how a browser asks. Nothing here knows Streamlit or the engine: questions come
as plain data.
"""
