"""The benchmark screen: measurements of this machine as charts, and where fusing loses.

In: the last measurement. Out: two charts, words, a table. The charts are plain dictionaries in
plotly's form; plotly itself is loaded when Streamlit draws one.
"""
