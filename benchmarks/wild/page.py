def page(m,r): return ""
def table(m,rows):
    import json
    return json.dumps([r.as_json() for r in rows], indent=1)
