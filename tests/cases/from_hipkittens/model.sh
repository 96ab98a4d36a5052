cat >/dev/null
case $ASSAY_NODE in
  *'attempt 1'*) value='x * 2' ;;
  *) value='x * 3 + 1' ;;
esac
printf 'So:\n```python\nimport torch\n\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return %s\n```\n' "$value"
