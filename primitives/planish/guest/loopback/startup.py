"""Configure the IPython of a loopback context as E2B's template configures its own.

IPython runs this file in the namespace of the context. The names that E2B's start-up scripts leave
there (`ip`, `save`, `Image`, `Any` and others) are therefore defined here too.
"""

import sys
from importlib import import_module
from typing import Any

import IPython
from IPython.core import display_functions
from IPython.core.formatters import BaseFormatter, JSONFormatter
from traitlets import traitlets

__all__ = ["E2BChartFormatter", "E2BDataFormatter", "E2BJSONFormatter"]

# As Any: IPython's own annotations are incomplete.
display: Any = vars(display_functions)["display"]
_default: Any = vars(BaseFormatter)["__call__"]
_default_json: Any = vars(JSONFormatter).get("__call__", _default)
_text: Any = traitlets.Unicode
_name: Any = traitlets.ObjectName


class E2BDataFormatter(BaseFormatter):
    """Show the columns of a data frame as lists, with times in ISO 8601."""

    format_type: Any = _text("e2b/data")
    print_method: Any = _name("_repr_e2b_data_")
    _return_type: Any = (dict, str)

    def __call__(self, obj: Any) -> Any:
        """Return the form of an object; None if it has none."""
        pandas = sys.modules.get("pandas")
        if pandas is None or not isinstance(obj, pandas.DataFrame):
            return _default(self, obj)
        return {
            name: [one.isoformat() if isinstance(one, pandas.Timestamp) else one for one in column]
            for name, column in obj.to_dict(orient="list").items()
        }


class E2BChartFormatter(BaseFormatter):
    """Show the numbers of a chart, where E2B's package for that is installed."""

    format_type: Any = _text("e2b/chart")
    print_method: Any = _name("_repr_e2b_chart_")
    _return_type: Any = (dict, str)

    def __call__(self, obj: Any) -> Any:
        """Return the form of an object; None if it has none."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None or not isinstance(obj, pyplot.Figure):
            return _default(self, obj)
        try:
            charts: Any = import_module("e2b_charts")  # few cells draw
            return charts.chart_figure_to_dict(obj)
        except Exception:  # noqa: BLE001  # E2B's template shows an empty chart then
            return {}


class E2BJSONFormatter(JSONFormatter):
    """Show lists and dicts as JSON too."""

    def __call__(self, obj: Any) -> Any:
        """Return the form of an object; None if it has none."""
        if isinstance(obj, (list, dict)):
            try:
                import orjson  # noqa: PLC0415  # as late as E2B's template loads it

                options = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
                return orjson.loads(orjson.dumps(obj, option=options)), {"expanded": True}
            except TypeError:
                pass
        return _default_json(self, obj)


ip: Any = IPython.get_ipython()
for _formatter in (E2BDataFormatter, E2BChartFormatter, E2BJSONFormatter):
    _made = _formatter(parent=ip.display_formatter)
    ip.display_formatter.formatters[_made.format_type] = _made

try:
    pictures: Any = import_module("PIL.Image")
    viewers: Any = import_module("PIL.ImageShow")
except ModuleNotFoundError:
    pass
else:

    def show_file(_viewer: Any, _path: Any, **_options: Any) -> int:
        """Open no window."""
        return 0

    viewers.UnixViewer.show_file = show_file
    Image: Any = pictures.Image
    original_save: Any = Image.save

    def save(image: Any, fp: Any, format: Any = None, **options: Any) -> None:  # noqa: A002
        """Show a picture that is saved under a name."""
        if isinstance(fp, str):
            display(image)
        original_save(image, fp, format, **options)

    Image.save = save
