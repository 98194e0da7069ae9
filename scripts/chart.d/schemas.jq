# JSON Schemas of the kinds in `$kinds`, a line each: name, tab, schema. They are made of the OpenAPI definitions of
# Kubernetes, or of a CustomResourceDefinition, and refuse every key that these do not know.

def strict:
  walk(
    if type != "object" then .
    elif .format == "int-or-string" then .type = ["integer", "string"]
    elif (.properties | type) == "object" and (has("additionalProperties") | not)
      and .["x-kubernetes-preserve-unknown-fields"] != true then .additionalProperties = false
    else . end
  );

# The names of the definitions that the one called `$name` needs, itself among them.
def needed($all; $name):
  def more($names):
    ($names + [$all[$names[]] | .. | objects | .["$ref"]? | strings | ltrimstr("#/definitions/")] | unique) as $next
    | if $next == $names then $names else more($next) end;
  more([$name]);

def kind($group; $version; $kind):
  [($kind | ascii_downcase), ($group | split(".")[0]), $version] | map(select((. // "") != "")) | join("-") | select(IN($kinds[]));

def line($name; $schema): "\($name)\t\($schema | tojson)";

if .kind == "CustomResourceDefinition" then
  .spec as $spec | $spec.versions[]
  | line(kind($spec.group; .name; $spec.names.kind); .schema.openAPIV3Schema | strict)
else
  (.definitions | strict | .["io.k8s.apimachinery.pkg.api.resource.Quantity"].type = ["string", "number"]) as $all
  | $all | to_entries[]
  | .key as $definition | .value["x-kubernetes-group-version-kind"][0]? // empty
  | line(kind(.group; .version; .kind);
      {"$ref": "#/definitions/\($definition)",
        definitions: [needed($all; $definition)[] | {(.): $all[.]}] | add})
end
